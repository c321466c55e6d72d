import { createSecretKey } from "node:crypto";
import type { PendingScoresQuery, ScoreResult } from "@afterword/protocol";
import { describe, expect, it } from "vitest";
import { type Acknowledgement, type Lease, type PageRequest, type QueuedScore } from "../store/store.ts";
import { type Project } from "./project-directory.ts";
import { acknowledgeScores, listPendingScores } from "./score-queue.ts";
import { type Service } from "./service.ts";

const now = Date.parse("2026-03-01T12:00:00.000Z");
const project = {
  id: "shop",
  cursorKey: createSecretKey(Buffer.alloc(32, 1)),
  everySurveyById: new Map([["thumbs", { definition: { type: "csat", thumbs: true } }]]) as unknown,
} as Project;
const scoreOf = (sequence: number, run: string | null = null) =>
  ({ id: `score-${sequence}`, at: now, run, sequence }) as QueuedScore;

/** A store with so many scores, which notes what it is asked. */
function aQueue(scores: QueuedScore[], emptyLeases = 0) {
  const requests: (PageRequest & Partial<Lease>)[] = [];
  const after = (request: PageRequest) => scores.filter(({ sequence }) => sequence > request.after);
  let left = emptyLeases;
  const store = {
    pendingScores: async (request: PageRequest, lease?: Lease) => {
      requests.push({ ...request, ...lease });
      const leased = lease && { count: 2, until: now + 90_000 };
      if (left-- > 0) return { scores: [], continuesAfter: request.after + request.limit, leased };
      const [page, rest] = [after(request).slice(0, request.limit), after(request).slice(request.limit)];
      return {
        scores: page,
        continuesAfter: rest.length > 0 ? page.at(-1)!.sequence : undefined,
        leased: page.length > 0 ? leased : lease && { count: 0, until: null },
      };
    },
  };
  const directory = { current: async (known: Project) => known };
  const service = { store, clock: { now: () => now }, directory } as unknown as Service;
  const list = (request: PendingScoresQuery = {}) => listPendingScores(service, project, request);
  return { list, requests, service };
}
const many = Array.from({ length: 300 }, (_, index) => scoreOf(index + 1));
const idsOf = ({ scores }: { scores: { id: string }[] }) => scores.map(({ id }) => id);

describe("acknowledging", () => {
  const folded = async (...results: ScoreResult[]) => {
    let given: ReadonlyMap<string, Acknowledgement> = new Map();
    let at: number | undefined;
    const acknowledge = async (id: string, byId: ReadonlyMap<string, Acknowledgement>, moment: number) => {
      [given, at] = [byId, moment];
      return id === project.id ? byId.size : 0;
    };
    const service = { store: { acknowledge }, clock: { now: () => now } } as unknown as Service;
    const updated = await acknowledgeScores(service, project, results);
    expect([updated, at]).toEqual([given.size, now]);
    return Object.fromEntries(given);
  };
  const delivered: ScoreResult = { id: "a", state: "delivered" };
  const failed = (reason: string, id = "a"): ScoreResult => ({ id, state: "failed", reason });

  it("counts delivered over failed in any order", async () => {
    const once = { a: { state: "delivered", reason: undefined } };
    expect(await folded(delivered, failed("400"))).toEqual(once);
    expect(await folded(failed("400"), delivered)).toEqual(once);
    expect(await folded(failed("400"), delivered, failed("500"))).toEqual(once);
  });

  it("keeps the last reason of a score that failed more than once", async () =>
    expect(await folded(failed("400"), failed("500"))).toEqual({ a: { state: "failed", reason: "500" } }));

  it("keeps each score's result apart", async () =>
    expect(await folded(delivered, failed("400", "b"))).toEqual({
      a: { state: "delivered", reason: undefined },
      b: { state: "failed", reason: "400" },
    }));
});

describe("a page of pending scores", () => {
  it("has 50 scores, as many as are asked for, and 100 at most", async () => {
    const { list } = aQueue(many);
    const sizes = [await list(), await list({ limit: 7 }), await list({ limit: 101 })];
    expect(sizes.map(({ scores }) => scores.length)).toEqual([50, 7, 100]);
  });

  it("has a cursor to the next one, and the last page has none", async () => {
    const { list } = aQueue(many.slice(0, 100));
    const first = await list();
    const second = await list({ cursor: first.nextCursor });
    expect([...idsOf(first), ...idsOf(second)]).toEqual(many.slice(0, 100).map(({ id }) => id));
    expect(first).not.toHaveProperty("lease");
    expect(first).not.toHaveProperty("leased");
    expect(second).not.toHaveProperty("nextCursor");
  });

  it("has the run that was attested, and no sequence number", async () => {
    const { list } = aQueue([scoreOf(1), scoreOf(2, '{"version":"2.4"}')]);
    const at = "2026-03-01T12:00:00.000Z";
    expect((await list()).scores).toEqual([
      { id: "score-1", at },
      { id: "score-2", at, run: { version: "2.4" } },
    ]);
  });

  it("marks up and down of a survey of thumbs, and nothing between, as an earlier version may have stored it", async () => {
    const rated = [1, 3, 5].map((rating, at) => ({ ...scoreOf(at + 1), rating, surveyId: "thumbs" }));
    const { scores } = await aQueue([...rated, { ...scoreOf(4), rating: 5, surveyId: "csat" }]).list();
    expect(scores.map(({ thumbs }) => thumbs)).toEqual([true, undefined, true, undefined]);
    expect(scores[1]).not.toHaveProperty("thumbs");
  });

  it("lists failed scores only where that is asked for", async () => {
    const { list, requests } = aQueue(many);
    await list();
    await list({ includeFailed: "true" });
    expect(requests.map(({ includeFailed, after }) => [includeFailed, after])).toEqual([
      [false, 0],
      [true, 0],
    ]);
  });
});

describe("a cursor", () => {
  const cursorOf = async (request = {}) => (await aQueue(many).list(request)).nextCursor!;
  const refusal = expect.objectContaining({ code: "invalid_cursor", status: 400 });

  it("continues after its score, however large its number", async () => {
    const far = 2 ** 40;
    const { list } = aQueue([scoreOf(far), scoreOf(far + 1), scoreOf(far + 2)]);
    const { nextCursor } = await list({ limit: 2 });
    expect(idsOf(await list({ cursor: nextCursor }))).toEqual([`score-${far + 2}`]);
  });

  it("is good for the same includeFailed alone", async () => {
    const { list } = aQueue(many);
    const failed = await cursorOf({ includeFailed: "true" });
    expect(idsOf(await list({ cursor: failed, includeFailed: "true" }))[0]).toBe("score-51");
    await expect(list({ cursor: failed })).rejects.toThrow(refusal);
    await expect(list({ cursor: await cursorOf(), includeFailed: "true" })).rejects.toThrow(refusal);
  });

  it("of another project, changed, shortened, lengthened or spelled differently is refused", async () => {
    const cursor = await cursorOf();
    const bytes = Buffer.from(cursor, "base64url");
    const changed = Array.from(bytes, (byte, place) => {
      const copy = Buffer.from(bytes);
      copy[place] = byte ^ 1;
      return copy.toString("base64url");
    });
    const spelled = [cursor.slice(0, -4), `${cursor}AAAA`, `${cursor}=`, ` ${cursor}`, ""];
    for (const wrong of [...changed, ...spelled])
      await expect(aQueue(many).list({ cursor: wrong })).rejects.toThrow(refusal);
    const other = { ...project, cursorKey: createSecretKey(Buffer.alloc(32, 2)) };
    await expect(listPendingScores(aQueue(many).service, other, { cursor })).rejects.toThrow(refusal);
  });
});

describe("a lease", () => {
  const lease = { consumer: "c", lease: 60 };

  it("lasts as long as it is asked for, and the reply says so", async () => {
    const { list, requests } = aQueue(many);
    expect(await list(lease)).toMatchObject({
      lease: 60,
      leased: { count: 2, until: "2026-03-01T12:01:30.000Z" },
    });
    expect((await aQueue([]).list(lease)).leased).toEqual({ count: 0, until: null });
    expect(requests[0]!.until).toBe(now + 60_000);
  });

  it("is of one page, with a cursor to the next", async () => {
    const { list } = aQueue(many);
    const { nextCursor, ...page } = await list({ limit: 10, ...lease });
    expect(idsOf(page)[0]).toBe("score-1");
    expect(idsOf(await list({ limit: 10, cursor: nextCursor, ...lease }))[0]).toBe("score-11");
  });

  it("of 0 seconds gives back what is held", async () => {
    const { list, requests } = aQueue(many);
    expect((await list({ ...lease, lease: 0 })).lease).toBe(0);
    expect(requests[0]!.until).toBeUndefined();
  });

  it("passes over pages that others have leased at the same moment", async () => {
    const { list, requests } = aQueue(many, 2);
    expect(idsOf(await list({ limit: 10, ...lease }))[0]).toBe("score-21");
    const until = now + 60_000;
    expect(requests).toMatchObject([0, 10, 20].map((after) => ({ after, until, consumer: "c" })));
  });

  it("of an empty queue is an empty page", async () =>
    expect((await aQueue([]).list(lease)).scores).toEqual([]));
});
