/** Characters of four bytes each, no two alike, so that no database can make them shorter. */
export const unlike = (length: number, from = 0x20000) =>
  Array.from({ length }, (_, index) => String.fromCodePoint(from + index * 37)).join("");
