/** A number with its noun: `1 response`, `2 responses`. */
export const counted = (count: number, noun: string, plural = `${noun}s`) =>
  `${count} ${count === 1 ? noun : plural}`;

/** Format characters take no column: those around an isolated text, for one. */
const widthOf = (cell: string): number => [...cell.replaceAll(/\p{Cf}/gu, "")].length;

/** Formats rows as aligned columns under a heading; missing cells are dashes. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): string {
  const cells = [
    heading.map((name) => name.toUpperCase()),
    ...rows.map((row) => row.map((cell) => cell || "-")),
  ];
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ""))));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell + " ".repeat(widths[column]! - widthOf(cell))).join("  ");
  return cells.map((row) => line(row).trimEnd()).join("\n");
}
