import { benchSecretKey } from "./bench-config.ts";
import type { Ready } from "./child-server.ts";

const inFlight = 32;

/** Puts so many linked ratings into a real server's queue: a mint and a submit each, as a page would. */
export async function fill({ url, projects }: Ready, count: number): Promise<void> {
  const { publishableKey } = projects[0]!;
  let next = 0;

  async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
    return response.json();
  }

  async function rateSome(): Promise<void> {
    while (next < count) {
      const number = (next += 1);
      const session = { respondentId: `r-${number}`, sessionId: `s-${number}`, surveyId: "s0" };
      const { tokens } = (await post("/v1/sdk/tokens", session, {
        authorization: `Bearer ${benchSecretKey}`,
      })) as {
        tokens: Record<string, string>;
      };
      const body = { key: publishableKey, showToken: tokens["s0"], surveyId: "s0", rating: number % 11 };
      await post("/v1/sdk/responses", { ...body, text: "It found the file at once." });
    }
  }

  await Promise.all(Array.from({ length: inFlight }, rateSome));
}
