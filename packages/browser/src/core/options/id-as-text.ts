/** An id as text: databases and templates give whole numbers. `undefined` for what is no id. */
export const idAsText = (id: unknown): string | undefined =>
  (/^(string|bigint)$/.test(typeof id) || Number.isSafeInteger(id)) && id !== ""
    ? `${id as string}`
    : undefined;
