/**
 * The address of a real server, or `undefined` when the variable that names it is not set; then one line says so, and
 * what is said there is how to get it.
 */
export function realServer(name: string, variable: string): string | undefined {
  const url = process.env[variable];
  if (url) return url;
  console.warn(`skipped: no ${name}, since ${variable} is not set; test/sinks/start-servers.sh brings one`);
  return undefined;
}

/** Asks until an answer fits; a server that stores in the background gets up to 30 seconds. */
export async function until<Answer>(
  ask: () => Promise<Answer>,
  fits: (answer: Answer) => boolean,
): Promise<Answer> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (Date.now() > giveUpAt)
      throw new Error(`No fitting answer within 30 s; the last was ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
