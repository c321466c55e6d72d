/** Parses stored JSON; `undefined` if there is none or it is invalid. */
export function parseJson<Kept>(text: string | undefined): Kept | undefined {
  try {
    return (JSON.parse(text!) as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}
