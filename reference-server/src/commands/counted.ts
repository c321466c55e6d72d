/** A number with its noun: `1 response`, `2 responses`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
