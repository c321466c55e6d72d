/** What was kept as JSON; `undefined` if there is nothing, or nothing that can be read. */
export function parsed<Kept>(text: string | undefined): Kept | undefined {
  try {
    return (JSON.parse(text!) as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}
