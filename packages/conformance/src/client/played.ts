import { equal, ok } from "node:assert/strict";
import { type Answer, type Answering, type SeenRequest } from "./client-server.ts";
import { keys } from "./client-under-test.ts";

/** The requests to a path. */
export const to = (seen: SeenRequest[], path: string) => seen.filter((request) => request.path === path);

/** A refusal of the contract. */
export const problem = (status: number, code: string, fields: object = {}): Answer => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: { type: "about:blank", title: code, status, code, ...fields },
});

/** What an intermediary answers in place of the service. */
export const portal = (status: number): Answer => ({
  status,
  headers: { "content-type": "text/html" },
  body: "<!doctype html><title>Sign in to this network</title>",
});

export const limited: Answer = {
  ...problem(429, "rate_limited"),
  headers: { "content-type": "application/problem+json", "retry-after": "1" },
};

/** Answers the first requests in order and the rest as the last one. */
export function inOrder(...answers: Answer[]): () => Answer {
  let at = 0;
  return () => answers[Math.min(at++, answers.length - 1)]!;
}

/** Answers each path in its own way; a path without one is 404. */
export const byPath =
  (answers: Record<string, Answering>): Answering =>
  (request) =>
    answers[request.path]?.(request) ?? problem(404, "route_not_found");

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
  const sent = headers["x-service-key"] ?? headers.authorization?.replace(/^bearer +/i, "");
  equal(sent, keys.secretKey, `${path} was called without the secret key`);
  ok(!`${query}${text}`.includes(keys.secretKey), `the secret key is in the query or body of ${path}`);
}
