/** How long after a 1 a 0 still makes it a 10. */
const tenWithinMs = 500;

/** Reads ratings typed on the keyboard, where 1 and then 0 is 10. Gives `undefined` for any other key. */
export function digitReader(): (key: string, timeInMs: number) => number | undefined {
  let oneAtMs = -Infinity;
  return (key, timeInMs) => {
    if (!/^\d$/.test(key)) return undefined;
    const isTen = key === "0" && timeInMs - oneAtMs <= tenWithinMs;
    oneAtMs = key === "1" ? timeInMs : -Infinity;
    return isTen ? 10 : Number(key);
  };
}
