import { runReference } from "@afterword/node";
import { type Outcome, type Sink } from "@afterword/node/forwarder";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { knownRun, signInPage, type SinkContract } from "./sink-contract.ts";
import { sessionScore, thumbScore, words } from "./sink-scores.ts";
import { type Fault, openStage, type SinkStage, type StageReply } from "./sink-stage.ts";

const now = Date.parse("2026-11-21T08:01:00.000Z");
const { signal } = new AbortController();

/** What portals, proxies and load balancers answer in a service's place. */
const foreignReplies: StageReply[] = [
  { status: 200, headers: { "content-type": "text/html" }, body: signInPage },
  { status: 202, headers: { "content-type": "text/html" }, body: signInPage },
  { status: 200, body: "" },
  { status: 204 },
  { status: 200, body: "ok" },
  { status: 200, body: {} },
  { status: 200, body: [] },
  { status: 200, body: { error: "login_required" } },
  { status: 202, body: { status: "accepted", message: "please sign in" } },
];

/** A rule of some sinks: for the others there is nothing to hold or to skip. */
const itWhere = (applies: boolean) => (applies ? it : () => undefined);

/** The rules that every sink on HTTP keeps, against a server that plays its service and can fail in each way. */
export function sinkSuite(name: string, makeContract: () => SinkContract): void {
  describe(`the sink ${name}`, () => {
    const traits = makeContract();
    let contract: SinkContract;
    let stage: SinkStage;
    let sink: Sink;

    const newSink = (options: Parameters<SinkContract["makeSink"]>[1] = {}) =>
      contract.makeSink(stage.url, { clock: () => now, ...options });
    const deliveries = () => stage.requests.filter(contract.isDelivery);
    const ids = (...numbers: number[]) => numbers.map((number) => sessionScore({ id: idOf(number) }));
    const idOf = (number: number) => `019aa000-0000-7000-8000-00000000000${number}`;
    const fail = (fault: Fault) => stage.fail(fault, contract.isDelivery);

    async function deliverOne(): Promise<Outcome> {
      const outcomes = await sink.deliver(ids(1), { signal });
      expect(outcomes).toHaveLength(1);
      const text = JSON.stringify(outcomes);
      for (const hidden of [contract.secret, words, "0170"]) expect(text).not.toContain(hidden);
      return outcomes[0]!;
    }

    beforeEach(async () => {
      contract = makeContract();
      stage = await openStage(contract.play);
      sink = newSink();
    });
    afterEach(async () => {
      await sink.close?.();
      await stage.close();
    });

    it("answers one outcome for each score, in their order, and the service holds each once", async () => {
      const outcomes = await sink.deliver(ids(1, 2, 3), { signal });
      expect(outcomes).toEqual([
        { outcome: "delivered" },
        { outcome: "delivered" },
        { outcome: "delivered" },
      ]);
      expect([1, 2, 3].map((number) => contract.held(idOf(number)))).toEqual([1, 1, 1]);
    });

    it(`delivers again what it has delivered before: the service holds it ${traits.isIdempotent ? "once" : "twice, under one id"}`, async () => {
      await deliverOne();
      sink = newSink();
      expect(await deliverOne()).toEqual({ outcome: "delivered" });
      expect(contract.held(idOf(1))).toBe(contract.isIdempotent ? 1 : 2);
    });

    it("goes by the name that the score carries", async () => {
      await sink.deliver([sessionScore({ name: "support.csat", surveyType: "csat" })], { signal });
      expect(deliveries()[0]?.payload).toMatch(/support[._]csat/);
    });

    it("says of a thumb that it is one, and of no other score", async () => {
      for (const thumbs of ["up", "down"] as const) {
        expect(await sink.deliver([thumbScore(thumbs)], { signal })).toEqual([{ outcome: "delivered" }]);
        expect(deliveries().at(-1)!.body).toMatchObject(contract.thumbs[thumbs]);
      }
      for (const rating of [1, 5]) await sink.deliver([sessionScore({ rating })], { signal });
      for (const { body, payload } of deliveries().slice(2)) {
        expect(payload).not.toContain("thumbs");
        for (const form of Object.values(contract.thumbs)) expect(body).not.toMatchObject(form);
      }
    });

    itWhere(traits.reference !== undefined)("stores the score of a run reference at that run", async () => {
      const { traceId } = knownRun;
      for (const [observationId, place] of [
        [runReference({ traceId }), contract.reference?.ofTrace],
        [runReference(knownRun), contract.reference?.ofSpan],
      ] as const) {
        sink = newSink({ resolveTarget: undefined });
        const outcomes = await sink.deliver([sessionScore({ observationId })], { signal });
        expect(outcomes).toEqual([{ outcome: "delivered" }]);
        expect(deliveries().at(-1)).toMatchObject(place!);
      }
    });

    itWhere(traits.keepsMetadata !== false)(
      "says which survey was answered, of which type, about which kind of task, when, and the value between 0 and 1",
      async () => {
        const about = {
          surveyId: "srv_apart",
          surveyType: "ces",
          taskType: "task-apart",
          label: "easy",
        } as const;
        const at = "2026-11-21T07:59:58.765Z";
        await sink.deliver([sessionScore({ ...about, normalised: 0.8125, at })], { signal });
        const { payload } = deliveries()[0]!;
        for (const value of [...Object.values(about), 0.8125])
          expect(payload).toMatch(new RegExp(`(?<!\\w)${value}(?!\\w)`));
        expect(payload).toMatch(new RegExp(`${at}|${Date.parse(at)}`));
      },
    );

    itWhere(traits.keepsMetadata !== false)("says what the mint attested about the run", async () => {
      const facts = { outcome: "failed-apart", steps: 1414, handedOver: true };
      const run = { version: "version-apart", facts, stratum: "stratum-apart", samplingProbability: 0.4242 };
      await sink.deliver([sessionScore({ run })], { signal });
      const { payload } = deliveries()[0]!;
      const names = ["version", "stratum", ...Object.keys(facts)];
      for (const text of [...names, "version-apart", "failed-apart", "1414", "stratum-apart", "0.4242"])
        expect(payload).toContain(text);
    });

    itWhere(traits.human !== undefined)("says that a person has judged", async () => {
      await sink.deliver([sessionScore()], { signal });
      expect(deliveries()[0]?.payload).toContain(contract.human);
    });

    it("leaves the person's words out when the score has none", async () => {
      await sink.deliver([sessionScore({ text: null })], { signal });
      expect(contract.held(idOf(1))).toBe(1);
      expect(deliveries()[0]?.payload).not.toContain("Ada");
    });

    it.each([
      [400, "permanent"],
      [401, "fatal"],
      [402, "fatal"],
      [403, "fatal"],
      [405, "fatal"],
      [408, "retry"],
      [413, "permanent"],
      [422, "permanent"],
      [425, "retry"],
      [500, "retry"],
      [502, "retry"],
      [503, "retry"],
      [504, "retry"],
    ] as const)("a %i is %s, and nothing is stored", async (status, outcome) => {
      fail({ status, body: { message: `refused: ${words}`, error: words } });
      const reason = expect.stringContaining(`answered ${status}`);
      expect(await deliverOne()).toMatchObject({ outcome, reason });
      expect(contract.held(idOf(1))).toBe(0);
    });

    it.each([{ status: 408 }, { status: 429 }, { status: 502 }, { status: 503 }, "reset"] as const)(
      "after %j the whole service is left in peace, not this score alone",
      async (fault) => {
        fail(fault);
        expect(await deliverOne()).toMatchObject({ outcome: "retry", scope: "sink" });
      },
    );

    it("a 500 is a matter of its score, and the fifth in a row of the whole service", async () => {
      fail({ status: 500 });
      const outcomes = [];
      for (let attempt = 1; attempt <= 5; attempt += 1) outcomes.push(await deliverOne());
      const scopes = outcomes.map((one) => "scope" in one && one.scope);
      expect(scopes).toEqual(["score", "score", "score", "score", "sink"]);
    });

    it("a 404 of an address that is no service at all burns no score", async () => {
      fail({ status: 404, body: "<h1>Not Found</h1>" });
      expect(["fatal", "retry"]).toContain((await deliverOne()).outcome);
    });

    it("a 429 is retry, after what Retry-After says", async () => {
      fail({ status: 429, headers: { "retry-after": "30" }, body: {} });
      expect(await deliverOne()).toMatchObject({ outcome: "retry", afterInMs: 30_000 });
    });

    it("a redirect is not followed and stops the forwarder, since it would carry the key elsewhere", async () => {
      fail({ status: 307, headers: { location: `${stage.url}/elsewhere` } });
      expect(await deliverOne()).toMatchObject({ outcome: "fatal" });
      expect(stage.requests.filter(({ path }) => path === "/elsewhere")).toEqual([]);
    });

    const isForeign = (reply: StageReply) => traits.documents?.(reply) !== true;
    const foreign = foreignReplies.filter(isForeign);

    it.each(foreign)("a 2xx of something in between is no delivery and no refusal: %j", async (reply) => {
      fail(reply);
      expect(await deliverOne()).toMatchObject({
        outcome: "retry",
        scope: "sink",
        reason: expect.stringContaining("not as this service does"),
      });
    });

    it.each([400, 422])("a %i of something in between burns no score", async (status) => {
      fail({ status, headers: { "content-type": "text/html" }, body: signInPage });
      expect(await deliverOne()).toMatchObject({ outcome: "retry" });
    });

    const refusedInside = { successes: [], errors: [{ id: idOf(1), status: 400, message: words }] };
    const refusal = { status: 207, body: refusedInside };
    itWhere(isForeign(refusal))("a 207 whose errors refuse the score is no delivery", async () => {
      fail(refusal);
      expect(await deliverOne()).toMatchObject({ outcome: expect.stringMatching(/permanent|retry/) });
    });

    it("a connection that ends after the status line is retry: the service may or may not have said yes", async () => {
      fail("drop");
      expect(await deliverOne()).toMatchObject({ outcome: "retry" });
    });

    it("a service that cannot be reached is retry", async () => {
      const closed = await openStage(contract.play);
      await closed.close();
      sink = contract.makeSink(closed.url, { clock: () => now });
      expect(await deliverOne()).toMatchObject({ outcome: "retry" });
    });

    it("silence is retry when the time is up", async () => {
      const timeUp = new AbortController();
      const timer = vi.spyOn(AbortSignal, "timeout").mockReturnValue(timeUp.signal);
      onTestFinished(() => timer.mockRestore());
      stage.onDelivery(contract.isDelivery, () => timeUp.abort());
      fail("hang");
      expect(await deliverOne()).toMatchObject({
        outcome: "retry",
        reason: expect.stringContaining("no answer within"),
      });
    });

    it("a forwarder that must be gone does not wait for an answer", async () => {
      const stop = new AbortController();
      fail("hang");
      stage.onDelivery(contract.isDelivery, () => stop.abort());
      const outcomes = await sink.deliver(ids(1), { signal: stop.signal });
      expect(outcomes).toMatchObject([{ outcome: "retry", reason: expect.stringContaining("aborted") }]);
    });

    it("tries once: trying again is the forwarder's", async () => {
      for (const fault of [{ status: 500 }, { status: 429 }, "reset"] as const) {
        fail(fault);
        await deliverOne();
      }
      expect(deliveries()).toHaveLength(3);
      stage.mend();
      expect(await deliverOne()).toEqual({ outcome: "delivered" });
      expect(contract.held(idOf(1))).toBe(1);
    });

    it("a score that is refused takes no neighbour with it", async () => {
      const [poisoned] = ids(2);
      stage.fail(
        { status: 400, body: {} },
        (request) => contract.isDelivery(request) && request.payload.includes(idOf(2)),
      );
      const outcomes = await sink.deliver([...ids(1), poisoned!, ...ids(3)], { signal });
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["delivered", "permanent", "delivered"]);
    });

    itWhere(traits.examines)("looks at its settings without delivering anything", async () => {
      expect(await sink.examine?.({ signal })).toMatchObject({ result: "ok" });
      expect(contract.held(idOf(1))).toBe(0);
    });

    itWhere(traits.examines)(
      "says whether waiting could mend what it finds, and never tells the key",
      async () => {
        const examineWith = async (fault: Fault) => {
          stage.fail(fault, () => true);
          const found = await sink.examine?.({ signal });
          expect(JSON.stringify(found)).not.toContain(contract.secret);
          return found;
        };
        for (const status of [401, 403, 404, 307])
          expect(await examineWith({ status })).toMatchObject({ result: "failed", retryable: false });
        expect(await examineWith({ status: 200, body: signInPage })).toMatchObject({
          result: "failed",
          retryable: false,
          detail: expect.stringContaining("base URL"),
        });
        for (const fault of [{ status: 503 }, { status: 429 }, "reset"] as const)
          expect(await examineWith(fault)).toMatchObject({ result: "failed", retryable: true });
      },
    );

    const erase = async (...numbers: number[]) => {
      const known = { surveyId: "srv_csat", name: "afterword.srv_csat", at: "2026-11-21T08:00:00.000Z" };
      return await sink.eraseScores?.(
        numbers.map((number) => ({ id: idOf(number), ...known })),
        { signal },
      );
    };

    itWhere(traits.erases)("deletes by id; what is not there is gone", async () => {
      await sink.deliver(ids(1, 2), { signal });
      expect(await erase(1, 9)).toEqual([{ outcome: "erased" }, { outcome: "erased" }]);
      expect([1, 2].map((number) => contract.held(idOf(number)))).toEqual([0, 1]);
    });

    itWhere(traits.erases)("says that a deletion failed, so that it is tried again", async () => {
      stage.fail({ status: 503 }, () => true);
      expect(await erase(1)).toMatchObject([{ outcome: "failed", reason: expect.stringContaining("503") }]);
    });

    itWhere(traits.erases)("takes nothing for erased that something in between has answered", async () => {
      for (const status of [200, 404]) {
        stage.fail({ status, headers: { "content-type": "text/html" }, body: signInPage }, () => true);
        expect(await erase(1)).toMatchObject([{ outcome: "failed" }]);
      }
    });

    itWhere(!traits.erases)("says why it cannot delete", async () => {
      expect(await erase(1)).toEqual([{ outcome: "unsupported", reason: expect.stringContaining("delete") }]);
    });
  });
}
