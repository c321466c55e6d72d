/** A 0 within this time after a 1 makes it a 10. */
const tenWithinInMs = 500;

/** Returns a reader of typed ratings, where 1 and then 0 is 10. It returns `undefined` for any other key. */
export function digitReader(): (key: string, timeInMs: number) => number | undefined {
  let oneAtInMs = -Infinity;
  return (key, timeInMs) => {
    if (!/^\d$/.test(key)) return undefined;
    const isTen = key === "0" && timeInMs - oneAtInMs <= tenWithinInMs;
    oneAtInMs = key === "1" ? timeInMs : -Infinity;
    return isTen ? 10 : Number(key);
  };
}
