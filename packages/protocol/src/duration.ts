export const hourInMs = 3_600_000;
export const dayInMs = 24 * hourInMs;

const unitsInMs = { s: 1000, m: 60_000, h: hourInMs, d: dayInMs } as const;

/** A duration: a whole number and s, m, h or d, for example `30d`. */
export type Duration = string;

/** Milliseconds of a whole number and s, m, h or d, for example `30d`; `undefined` for anything else. */
export function durationInMs(text: string): number | undefined {
  const parts = /^([1-9][0-9]{0,5})([smhd])$/.exec(text);
  return parts ? Number(parts[1]) * unitsInMs[parts[2] as keyof typeof unitsInMs] : undefined;
}
