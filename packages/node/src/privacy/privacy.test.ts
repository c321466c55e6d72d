import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { defineSink, type ErasableScore, type ErasureOutcome, type Sink } from "../forwarder.ts";
import { Afterword, ConnectionError, ErasureIncompleteError, type ExportRow } from "../index.ts";
import { startTestService, type TestService } from "../client/service.fixture.ts";

let service: TestService;
beforeAll(async () => void (service = await startTestService()));
afterAll(() => service[Symbol.asyncDispose]());

async function rowsOf<Row = ExportRow>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** A client whose service answers this body in pieces. */
function clientOf(...pieces: string[]) {
  let isCancelled = false;
  let sent = 0;
  const fetch = async () => {
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[sent];
        sent += 1;
        if (piece === undefined) controller.close();
        else controller.enqueue(encoder.encode(piece));
      },
      cancel: () => void (isCancelled = true),
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  };
  const client = new Afterword({ secretKey: "aw_sk_x", baseUrl: "https://x.example", fetch, maxRetries: 0 });
  return { client, sent: () => sent, isCancelled: () => isCancelled };
}

const head = '{"projectId":"p","exportedAt":"2026-11-21T09:00:00.000Z","count":';

describe("privacy.export", () => {
  it("gives a person's responses, row by row, and afterwards what the export says of itself", async () => {
    const id = await service.rate({
      respondentId: "export-1",
      rating: 5,
      text: 'words with "quotes" and ümlauts',
    });
    const rows = service.client().privacy.export({ respondentId: "export-1" });
    expect(rows.summary).toBeUndefined();
    expect(await rowsOf(rows)).toEqual([
      expect.objectContaining({
        id,
        respondentId: "export-1",
        rating: 5,
        text: 'words with "quotes" and ümlauts',
      }),
    ]);
    expect(rows.summary).toEqual({ projectId: "project", exportedAt: expect.any(String), count: 1 });
  });

  it("gives a survey's or the whole project's", async () => {
    await service.rate({ surveyId: "nps", rating: 10, respondentId: "export-2" });
    const { privacy } = service.client();
    const survey = await rowsOf(privacy.export({ surveySlug: "nps" }));
    expect(survey.map(({ respondentId }) => respondentId)).toEqual(["export-2"]);
    expect((await rowsOf(privacy.export())).length).toBeGreaterThan(survey.length);
  });

  it("of an unknown person is empty", async () => {
    expect(await rowsOf(service.client().privacy.export({ respondentId: "unknown" }))).toEqual([]);
  });

  it("of a survey that does not exist is refused with 404", async () => {
    const rows = service.client().privacy.export({ surveySlug: "none" });
    await expect(rowsOf(rows)).rejects.toMatchObject({ status: 404, code: "survey_not_found" });
  });

  it("whose person turned out undefined is refused, since it would export everybody", () => {
    const { privacy } = service.client();
    expect(() => privacy.export({ respondentId: undefined })).toThrow("nothing was exported");
    expect(() => privacy.export({ email: "" })).toThrow("nothing was exported");
  });

  it("gives rows while the rest is still on its way, and reads no further than asked", async () => {
    const row = (id: number) => `{"id":"r${id}","traits":{"nested":[1,{"deep":true}]}}`;
    const endless = Array.from({ length: 1000 }, (_, index) => `${row(index)},`);
    const { client, sent, isCancelled } = clientOf(`${head}1000,"responses":[`, ...endless);
    for await (const { id, traits } of client.privacy.export()) {
      expect(traits).toEqual({ nested: [1, { deep: true }] });
      if (id === "r9") break;
    }
    expect(sent()).toBeLessThan(20);
    expect(isCancelled()).toBe(true);
  });

  it("that falls silent is broken off, and the connection with it", async () => {
    vi.useFakeTimers();
    try {
      const cancel = vi.fn<() => void>();
      const first = new TextEncoder().encode(`${head}2,"responses":[{"id":"1"},`);
      const body = new ReadableStream<Uint8Array>({ start: (all) => all.enqueue(first), cancel });
      const fetch = async () => new Response(body, { headers: { "content-type": "application/json" } });
      const client = new Afterword({ secretKey: "aw_sk_x", baseUrl: "https://x.example", fetch });
      const reading = rowsOf(client.privacy.export({}, { timeoutInMs: 500 }));
      const told = expect(reading).rejects.toThrow("broke off after 1 rows");
      await vi.advanceTimersByTimeAsync(500);
      await told;
      expect(cancel).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not care where the pieces are cut", async () => {
    const text = `${head}2,"responses":[{"id":"a","text":"\u00fc\\n"},{"id":"b","rating":null}]}`;
    const { client } = clientOf(...text);
    expect(await rowsOf(client.privacy.export())).toEqual([
      { id: "a", text: "ü\n" },
      { id: "b", rating: null },
    ]);
  });

  it.each([
    ["breaks off", [`${head}3,"responses":[{"id":"a"},{"id":"b"},`]],
    ["has fewer rows than it says", [`${head}3,"responses":[{"id":"a"},{"id":"b"}]}`]],
    ["is no JSON behind some rows", [`${head}3,"responses":[{"id":"a"},{"id":"b"},`, "jo@example.com"]],
  ])("that %s throws, so that a part is never taken for the whole", async (_, pieces) => {
    const rows = clientOf(...pieces).client.privacy.export();
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const row of rows) seen.push(row);
    })();
    await expect(reading).rejects.toThrow("broke off after 2 rows");
    await expect(reading).rejects.toThrow(ConnectionError);
    await expect(reading).rejects.not.toThrow("jo@example.com");
    expect(seen).toHaveLength(2);
    expect(rows.summary).toBeUndefined();
  });
});

describe("privacy.erase", () => {
  it("of a person erases their responses, keeps the suppression, and empties the queue of them", async () => {
    const id = await service.rate({ respondentId: "erase-1" });
    const { privacy, ...client } = service.client();
    expect(client).toBeDefined();
    await expect(privacy.erase({ respondentId: "erase-1" })).resolves.toMatchObject({
      mode: "respondent",
      respondentIds: ["erase-1"],
      responsesDeleted: 1,
      suppressionRetained: 1,
    });
    const pending = await rowsOf(service.client().pendingScores());
    expect(pending.map((row) => row.id)).not.toContain(id);
  });

  it("of a person and a survey erases only what the person said there", async () => {
    await service.rate({ respondentId: "erase-2" });
    await service.rate({ respondentId: "erase-2", surveyId: "nps" });
    const { privacy } = service.client();
    await expect(privacy.erase({ respondentId: "erase-2", surveySlug: "nps" })).resolves.toMatchObject({
      mode: "respondent",
      surveySlug: "nps",
      responsesDeleted: 1,
    });
    expect(await rowsOf(privacy.export({ respondentId: "erase-2" }))).toHaveLength(1);
  });
});

describe("privacy.eraseEverywhere", () => {
  /** No forwarder runs here. */
  const forwarderHoldInMs = 0;
  const aSink = (
    name: string,
    erase?: (scores: readonly ErasableScore[]) => Promise<ErasureOutcome[]>,
  ): Sink => defineSink({ name, deliver: async () => [], eraseScores: erase });
  const erased = async (scores: readonly ErasableScore[]) =>
    scores.map(() => ({ outcome: "erased" as const }));

  it("deletes the person's scores at the sinks, then everything at the service", async () => {
    const id = await service.rate({ respondentId: "everywhere-1" });
    const seen: ErasableScore[] = [];
    const sink = aSink("keeps", (scores) => {
      seen.push(...scores);
      return erased(scores);
    });
    const { privacy } = service.client();
    const surveys = { csat: { type: "csat", name: "task.csat" } } as const;
    const report = await privacy.eraseEverywhere(
      { respondentId: "everywhere-1" },
      { sinks: [sink], surveys, forwarderHoldInMs },
    );
    expect(seen[0]).toEqual({ id, surveyId: "csat", name: "task.csat", at: expect.any(String) });
    expect(report).toMatchObject({
      responseIds: [id],
      sinks: [{ sink: "keeps", erased: 1, unsupported: 0, failed: 0, reasons: [] }],
      service: { mode: "respondent", responsesDeleted: 1 },
    });
    expect(await rowsOf(privacy.export({ respondentId: "everywhere-1" }))).toEqual([]);
  });

  it("says which sinks cannot delete, and erases the rest", async () => {
    await service.rate({ respondentId: "everywhere-2" });
    const { privacy } = service.client();
    const sinks = [aSink("cannot"), aSink("can", erased)];
    const report = await privacy.eraseEverywhere(
      { respondentId: "everywhere-2" },
      { sinks, forwarderHoldInMs },
    );
    expect(report.sinks).toEqual([
      {
        sink: "cannot",
        erased: 0,
        unsupported: 1,
        failed: 0,
        reasons: ["cannot: scores can only be deleted by hand"],
      },
      { sink: "can", erased: 1, unsupported: 0, failed: 0, reasons: [] },
    ]);
  });

  it("asks a sink again that is busy, after as long as it wishes, and for nothing that is gone already", async () => {
    await service.rate({ respondentId: "everywhere-6" });
    await service.rate({ respondentId: "everywhere-6", surveyId: "nps", rating: 9 });
    const asked: number[] = [];
    const busy: ErasureOutcome = { outcome: "failed", reason: "429", afterInMs: 20 };
    const sink = aSink("busy", async (scores) => {
      asked.push(scores.length);
      return scores.map((_, index) => (asked.length === 1 && index === 0 ? busy : { outcome: "erased" }));
    });
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout"],
      shouldAdvanceTime: true,
      advanceTimeDelta: 200,
    });
    try {
      const { privacy } = service.client();
      const report = await privacy.eraseEverywhere(
        { respondentId: "everywhere-6" },
        { sinks: [sink], forwarderHoldInMs },
      );
      expect(asked).toEqual([2, 1, 2]);
      expect(report.sinks).toEqual([{ sink: "busy", erased: 2, unsupported: 0, failed: 0, reasons: [] }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("erases nothing at the service while a sink fails, so that the call can be repeated", async () => {
    await service.rate({ respondentId: "everywhere-3" });
    let isDown = true;
    const sink = aSink("flaky", async (scores) => {
      if (isDown) throw new TypeError("jo@example.com");
      return erased(scores);
    });
    const { privacy } = service.client();
    const call = () =>
      privacy.eraseEverywhere({ respondentId: "everywhere-3" }, { sinks: [sink], forwarderHoldInMs });
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(ErasureIncompleteError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^Scores could not be deleted: 1 at flaky \(flaky: threw TypeError at .*\)\. The service has erased nothing yet: repeat the call\.$/,
      ),
      retryable: true,
    });
    expect(await rowsOf(privacy.export({ respondentId: "everywhere-3" }))).toHaveLength(1);
    isDown = false;
    await expect(call()).resolves.toMatchObject({ service: { responsesDeleted: 1 } });
  });

  it("takes a person only: neither a survey nor everything", async () => {
    const { privacy } = clientOf("").client;
    // @ts-expect-error -- a whole survey is not erased at the sinks
    const survey = () => privacy.eraseEverywhere({ surveySlug: "nps" }, { sinks: [] });
    expect(survey).toBeTypeOf("function");
    expect(() => privacy.eraseEverywhere({ respondentId: "" }, { sinks: [] })).toThrow("without a value");
  });
});
