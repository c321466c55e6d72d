import { equal, ok } from "node:assert/strict";
import { type Test } from "../clauses/clause.ts";
import { type ClientUnderTest, keys } from "./client-under-test.ts";
import { type SeenRequest } from "./faults.ts";

/** A clause of clients, as a test is written. */
export const test = (
  title: string,
  run: (client: ClientUnderTest) => Promise<string | void>,
): Test<ClientUnderTest> => ({ title, run });

/** A client waits at least as long as Retry-After says, give or take the precision of timers. */
export function expectPatience([first, second]: SeenRequest[]): string {
  ok(first, "the client has sent nothing");
  if (!second) return "gives up after a 429";
  const waited = second.at - first.at;
  ok(waited >= 990, `the client came back ${Math.round(waited)} ms after a 429 with Retry-After: 1`);
  return "sends the request again after the time of Retry-After";
}

/** Secret routes get the secret key in a header, and nothing else gets it. */
export function expectSecretKey({ headers, query, text, path }: SeenRequest): void {
  const sent = headers.get("x-service-key") ?? headers.get("authorization")?.replace(/^bearer +/i, "");
  equal(sent, keys.secretKey, `${path} was called without the secret key`);
  ok(!`${query}${text}`.includes(keys.secretKey), `the secret key is in the query or body of ${path}`);
}

/** Every submit says the same: only so can a repetition do no harm. */
export function expectSameSubmits(submits: SeenRequest[]): void {
  const said = submits.map(({ json }) =>
    JSON.stringify([json?.showToken, json?.surveyId, json?.rating, json?.text]),
  );
  ok(new Set(said).size <= 1, "a repeated submit says something else");
}
