import type { DeliverableScore, SinkOptions } from "../scores/sink.ts";

/** A score as the forwarder hands it to a sink; what a test is about is given, the rest does not matter to it. */
export const aScore = (parts: Partial<DeliverableScore> = {}): DeliverableScore => ({
  id: "019aa000-0000-7000-8000-000000000001",
  surveyId: "srv_csat",
  at: "2026-11-21T08:00:00.000Z",
  sessionId: "session-1",
  observationId: null,
  rating: 4,
  text: "Found it at once",
  taskType: "search",
  name: "afterword.srv_csat",
  surveyType: "csat",
  normalised: 0.75,
  label: "satisfied",
  run: null,
  ...parts,
});

/** The same so many times. */
export const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

export const untilAborted = (signal = new AbortController().signal): SinkOptions => ({ signal });

/** As Datadog answers, which says by its body that it has taken the metric. */
export const datadogReply = (status = 202) =>
  Response.json(
    status === 202 ? { data: { id: "1", type: "evaluation_metric", attributes: { metrics: [] } } } : {},
    { status },
  );

export interface SeenRequest {
  method: string;
  path: string;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- what it must be is what the test is about
  body: any;
}

/** A `fetch` that notes each request and answers from a table; a string or an object is a 200. */
export function fakeFetch(answer: (request: SeenRequest) => Response | object | Promise<Response | object>) {
  const requests: SeenRequest[] = [];
  const fetch = async (input: URL | RequestInfo, init: RequestInit = {}) => {
    const url = new URL(String(input));
    const request = {
      method: init.method ?? "GET",
      path: url.pathname + url.search,
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? JSON.parse(init.body) : undefined,
    };
    requests.push(request);
    init.signal?.throwIfAborted();
    const reply = await answer(request);
    return reply instanceof Response ? reply : Response.json(reply);
  };
  return { fetch: fetch as typeof globalThis.fetch, requests };
}
