/** Calls a function for each score, at most `atOnce` at a time. Returns the results in the order of the scores. */
export async function eachScore<Score, Result>(
  scores: readonly Score[],
  one: (score: Score) => Promise<Result>,
  atOnce = Infinity,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < scores.length; at = next++) results[at] = await one(scores[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, scores.length) }, work));
  return results;
}
