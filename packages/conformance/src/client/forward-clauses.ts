import { deepEqual, equal, ok } from "node:assert/strict";
import { under } from "../clauses/clause.ts";
import { type Answer, type Answering, type SeenRequest } from "./client-server.ts";
import { type ClientUnderTest } from "./client-under-test.ts";
import { byPath, expectPatience, expectSecretKey, inOrder, limited, portal, problem, to } from "./played.ts";

const [queuePath, ackPath, sinkPath] = ["/v1/sdk/pending-scores", "/v1/sdk/pending-scores/ack", "/sink"];

const score = (at: number) => ({
  id: `score-${at}`,
  surveyId: "csat",
  at: "2026-01-02T03:04:05.678Z",
  sessionId: `run-${at}`,
  observationId: null,
  rating: 4,
  text: null,
  taskType: null,
});

/** A queue that forgets what is acknowledged, and pages by the cursor. */
class Queue {
  scores: ReturnType<typeof score>[];
  readonly states = new Map<string, string>();

  constructor(count: number) {
    this.scores = Array.from({ length: count }, (_, at) => score(at));
  }

  readonly list: Answering = ({ query }) => {
    const [limit, from] = [Math.min(Number(query.get("limit") ?? 50), 100), Number(query.get("cursor") ?? 0)];
    const waiting = this.scores.filter(({ id }, at) => at >= from && !this.states.has(id));
    const page = waiting.slice(0, limit);
    const last = page.at(-1);
    const rest = last && waiting.length > page.length;
    return { body: { scores: page, ...(rest && { nextCursor: String(this.scores.indexOf(last) + 1) }) } };
  };

  readonly acknowledge: Answering = ({ json }) => {
    const results = (json?.results ?? []) as { id: string; state: string }[];
    for (const { id, state } of results) if (this.states.get(id) !== "delivered") this.states.set(id, state);
    return { body: { ok: true, updated: results.length } };
  };
}

const taken: Answer = { body: { ok: true } };

/** Lets the client empty a queue once. */
async function play(client: ClientUnderTest, queue: Queue, answers: Record<string, Answering> = {}) {
  const all = { [queuePath]: queue.list, [ackPath]: queue.acknowledge, [sinkPath]: () => taken };
  const { seen } = await client.play({}, byPath({ ...all, ...answers }));
  const pushed = to(seen, sinkPath).map(({ json }) => String(json?.id));
  return { polls: to(seen, queuePath), acks: to(seen, ackPath), pushed, seen };
}

const idsOf = ({ scores }: Queue) => scores.map(({ id }) => id);
const deliveredOf = ({ states }: Queue) =>
  [...states].flatMap(([id, state]) => (state === "delivered" ? [id] : []));

export const forwardClauses = under<ClientUnderTest>("4.5 `GET /v1/sdk/pending-scores`", [
  {
    title: "a forwarder begins without a cursor, follows the cursors, and acknowledges what it has pushed",
    async run(client) {
      const queue = new Queue(230);
      const { polls, acks, pushed } = await play(client, queue);
      equal(polls[0]?.query.has("cursor"), false, "the first poll has a cursor");
      [...polls, ...acks].forEach(expectSecretKey);
      deepEqual(new Set(pushed), new Set(idsOf(queue)), "not every score was pushed");
      deepEqual(deliveredOf(queue).toSorted(), idsOf(queue).toSorted());
      for (const { json } of acks)
        ok(json.results.length >= 1 && json.results.length <= 200, "an ack beyond 200 results");
      return polls.some(({ query }) => query.has("lease")) ? "leases what it lists" : "takes no leases";
    },
  },
  {
    title: "a page that repeats its cursor does not keep the forwarder forever",
    async run(client) {
      const queue = new Queue(3);
      const stuck: Answering = ({ query }) => ({
        body: { scores: query.has("cursor") ? [] : queue.scores, nextCursor: "same" },
      });
      const { polls, pushed } = await play(client, queue, { [queuePath]: stuck });
      ok(polls.length < 50, `${polls.length} polls of a page that repeats its cursor`);
      deepEqual(new Set(pushed), new Set(idsOf(queue)));
    },
  },
  {
    title: "a score with unknown fields, or without those that may be null, is pushed",
    async run(client) {
      const queue = new Queue(3);
      const { id, surveyId, at, sessionId, rating } = queue.scores[1]!;
      const scores = [
        { ...queue.scores[0]!, mood: { deep: [null] } },
        { id, surveyId, at, sessionId, rating },
        queue.scores[2]!,
      ];
      const list = inOrder({ body: { scores, total: 3 } }, { body: { scores: [] } });
      const { pushed } = await play(client, queue, { [queuePath]: list });
      deepEqual(new Set(pushed), new Set(idsOf(queue)));
    },
  },
  {
    title: "after a 429 the forwarder waits at least as long as Retry-After says",
    async run(client) {
      const queue = new Queue(1);
      let polls = 0;
      const list: Answering = (request) => (polls++ === 0 ? limited : queue.list(request));
      return expectPatience((await play(client, queue, { [queuePath]: list })).polls);
    },
  },
  {
    title: "a page that is lost, cut or an intermediary's pushes nothing unlisted, and acknowledges nothing",
    async run(client) {
      for (const broken of [
        { fate: "lost" },
        { fate: "cut" },
        portal(200),
        { body: { unknown: 1 } },
      ] satisfies Answer[]) {
        const queue = new Queue(2);
        const answer = "fate" in broken ? { ...queue.list(noQuery), ...broken } : broken;
        const { pushed, acks } = await play(client, queue, { [queuePath]: () => answer });
        deepEqual([pushed.length, acks.length], [0, 0]);
      }
    },
  },
  {
    title: "a slow page is read to its end",
    async run(client) {
      const queue = new Queue(20);
      await play(client, queue, { [queuePath]: (request) => ({ ...queue.list(request), fate: "slow" }) });
      deepEqual(deliveredOf(queue).toSorted(), idsOf(queue).toSorted());
    },
  },
  {
    title: "a forwarder whose key is refused ends, and pushes nothing",
    async run(client) {
      const refused = () => problem(401, "secret_key_required");
      const { polls, pushed } = await play(client, new Queue(1), { [queuePath]: refused });
      ok(polls.length <= 5, `${polls.length} polls with a refused key`);
      equal(pushed.length, 0);
    },
  },
]);

const noQuery = { query: new URLSearchParams() } as SeenRequest;

export const deliveryClauses = under<ClientUnderTest>("3.2 Score", [
  {
    title: "a score that the destination does not take for now is not acknowledged, and the others are",
    async run(client) {
      const queue = new Queue(3);
      const sink: Answering = ({ json }) => (json?.id === "score-1" ? problem(503, "busy") : taken);
      await play(client, queue, { [sinkPath]: sink });
      equal(queue.states.get("score-1"), undefined, "a score that was not pushed is acknowledged");
      return deliveredOf(queue).length === 2 ? "pushes the others" : "stops at the first failure";
    },
  },
  {
    title: "a score that the destination refuses for good is never acknowledged as delivered",
    async run(client) {
      const queue = new Queue(3);
      const sink: Answering = ({ json }) => (json?.id === "score-1" ? problem(422, "no such run") : taken);
      await play(client, queue, { [sinkPath]: sink });
      ok(queue.states.get("score-1") !== "delivered", "a refused score is acknowledged as delivered");
      return queue.states.get("score-1") === "failed" ? "acknowledges it as failed" : "leaves it pending";
    },
  },
  {
    title: "a lost reply to an acknowledgement costs nothing: the same id is pushed or acknowledged again",
    async run(client) {
      const queue = new Queue(2);
      let acks = 0;
      const lost: Answering = (request) => ({
        ...queue.acknowledge(request),
        ...(acks++ === 0 && { fate: "lost" as const }),
      });
      const { pushed } = await play(client, queue, { [ackPath]: lost });
      ok(
        pushed.every((id) => idsOf(queue).includes(id)),
        "a score is pushed under another id",
      );
      equal(queue.states.get("score-0"), "delivered");
    },
  },
]);
