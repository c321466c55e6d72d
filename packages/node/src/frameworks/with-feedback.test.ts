import { afterEach, describe, expect, it, vi } from "vitest";
import { withFeedback as withFeedbackOfClaude } from "./claude-agent-sdk.ts";
import { withFeedback, type MintBody, type Minted, type WithFeedbackOptions } from "../index.ts";

const minted: Minted = {
  tokens: { csat: "st2.token" },
  suppression: [],
  issuedAt: "2026-11-21T09:00:00.000Z",
  gated: false,
  sampled: { csat: true },
};

const aClient = (answer: () => Promise<Minted> = async () => minted) => ({
  mint: vi.fn<(body: MintBody, options?: object) => Promise<Minted>>(answer),
});
const ids = { respondentId: "respondent-1", sessionId: "session-1", taskType: "search" };
const optionsWith = (more: Partial<WithFeedbackOptions<unknown>> = {}) => ({
  client: aClient(),
  ...ids,
  ...more,
});

afterEach(() => vi.restoreAllMocks());

async function* words() {
  yield "a";
  yield "b";
}

async function* messagesOfClaude() {
  yield { type: "system" };
  yield { type: "assistant" };
  yield { type: "result", subtype: "success", is_error: false, session_id: "session-1" };
}

function streamOf<Chunk>(source: AsyncGenerator<Chunk>): ReadableStream<Chunk> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function readAll<Chunk>(source: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const seen: Chunk[] = [];
  for await (const word of source) seen.push(word);
  return seen;
}

describe("a run that has ended well", () => {
  it("gives its result at once, and its feedback when the mint has come back", async () => {
    const mint = Promise.withResolvers<Minted>();
    const client = aClient(() => mint.promise);
    const { result, feedback } = withFeedback(Promise.resolve("why!"), optionsWith({ client }));
    await expect(result).resolves.toBe("why!");
    mint.resolve(minted);
    await expect(feedback).resolves.toEqual({ ...minted, sessionId: "session-1", taskType: "search" });
    const within = { signal: expect.any(AbortSignal) };
    expect(client.mint).toHaveBeenCalledExactlyOnceWith(
      { ...ids, run: { facts: { endedWell: true } } },
      within,
    );
  });
});

describe("a streaming run keeps streaming", () => {
  it("as an async iterable, and mints once it was read to its end", async () => {
    const client = aClient();
    const { result, feedback } = withFeedback(words(), optionsWith({ client }));
    const reader = result[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: "a" });
    expect(client.mint).not.toHaveBeenCalled();
    await reader.next();
    await reader.next();
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("as a ReadableStream, one chunk at a time", async () => {
    const client = aClient();
    const { result, feedback } = withFeedback(streamOf(words()), optionsWith({ client }));
    expect(await readAll(result)).toEqual(["a", "b"]);
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("as a Response, with its status and headers", async () => {
    const client = aClient();
    const stream = () => streamOf(words()).pipeThrough(new TextEncoderStream());
    const response = new Response(stream(), { headers: { "x-run": "1" } });
    const { result, feedback } = withFeedback(response, optionsWith({ client }));
    expect(result.headers.get("x-run")).toBe("1");
    expect(client.mint).not.toHaveBeenCalled();
    expect(await result.text()).toBe("ab");
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("as an object that stands for a stream, when `end` gives the promise of its end", async () => {
    const client = aClient();
    const text = Promise.withResolvers<string>();
    const { feedback } = withFeedback(
      { text: text.promise },
      { client, ...ids, end: (result) => result.text },
    );
    expect(client.mint).not.toHaveBeenCalled();
    text.resolve("done");
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("once, where all ways to read it lead to one generator, as those of a query of Claude do", async () => {
    const client = aClient();
    const messages = messagesOfClaude();
    const query = { next: () => messages.next(), [Symbol.asyncIterator]: () => messages };
    const { result, feedback } = withFeedbackOfClaude(query, { client, respondentId: "respondent-1" });
    await result[Symbol.asyncIterator]().next();
    await result.next();
    expect(await readAll(result)).toHaveLength(1);
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
    expect(client.mint).toHaveBeenCalledOnce();
  });

  it("as messages of Claude in an iterable that gives each reader a generator of its own", async () => {
    const wrapped = { [Symbol.asyncIterator]: messagesOfClaude };
    const run = withFeedbackOfClaude(wrapped, { client: aClient(), respondentId: "respondent-1" });
    expect(await readAll(run.result)).toHaveLength(3);
    await expect(run.feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("keeps the other members of an iterable result", async () => {
    class Answer {
      #id = "run-1";
      get id() {
        return this.#id;
      }
      describe() {
        return `answer ${this.#id}`;
      }
      async *[Symbol.asyncIterator]() {
        yield 1;
      }
    }
    const { result } = withFeedback(new Answer(), optionsWith());
    expect([result.id, result.describe()]).toEqual(["run-1", "answer run-1"]);
  });
});

describe("a stream that does not come to its end mints nothing", () => {
  it.each([
    ["an iterable that throws", () => brokenWords()],
    ["a ReadableStream that breaks", () => streamOf(brokenWords())],
  ])("%s, which the reader sees as before", async (_, run: () => AsyncIterable<string>) => {
    const client = aClient();
    const { result, feedback } = withFeedback(run(), optionsWith({ client }));
    await expect(readAll(result)).rejects.toThrow("the model hung up");
    await expect(feedback).resolves.toBeUndefined();
    expect(client.mint).not.toHaveBeenCalled();
  });

  it("one that the reader leaves early", async () => {
    const client = aClient();
    const { result, feedback } = withFeedback(words(), optionsWith({ client }));
    await result[Symbol.asyncIterator]().next();
    const reader = result[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.(undefined);
    await expect(feedback).resolves.toBeUndefined();
  });

  it("one that is read by hand and left early", async () => {
    const { result, feedback } = withFeedback(words(), optionsWith());
    await result.next();
    await result.return(undefined);
    await expect(feedback).resolves.toBeUndefined();
  });

  it("one that is cancelled", async () => {
    const client = aClient();
    const { result, feedback } = withFeedback(streamOf(words()), optionsWith({ client }));
    await result.cancel();
    await expect(feedback).resolves.toBeUndefined();
  });

  it("a Response that is a refusal", async () => {
    const client = aClient();
    const { feedback } = withFeedback(new Response("no", { status: 500 }), optionsWith({ client }));
    await expect(feedback).resolves.toBeUndefined();
  });

  async function* brokenWords() {
    yield "a";
    throw new Error("the model hung up");
  }
});

describe("a stream that was cut, or never began, mints nothing", () => {
  async function* partsOf(...types: string[]) {
    for (const type of types) yield { type };
  }
  const eventsOf = (...types: string[]) =>
    new Response(types.map((type) => `data: ${JSON.stringify({ type })}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });

  it.each<[string, (...types: string[]) => AsyncIterable<unknown> | Response]>([
    ["an iterable of the AI SDK's parts", partsOf],
    ["a stream of them", (...types) => streamOf(partsOf(...types))],
    ["a response made of them", eventsOf],
  ])("%s", async (_, runOf) => {
    const feedbackOf = async (...types: string[]) => {
      const run = runOf(...types) as AsyncIterable<unknown> & Response;
      const { result, feedback } = withFeedback(run, optionsWith());
      await (result instanceof Response ? result.text() : readAll(result));
      return feedback;
    };
    await expect(feedbackOf()).resolves.toBeUndefined();
    await expect(feedbackOf("start", "text-delta")).resolves.toBeUndefined();
    await expect(feedbackOf("start", "text-delta", "finish")).resolves.toMatchObject({
      sessionId: "session-1",
    });
  });
});

describe("what cannot be watched", () => {
  it.each<[string, () => PromiseLike<unknown>, Minted | undefined]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
      undefined,
    ],
    ["rejects", () => Promise.reject(new Error("no")), undefined],
    ["returns nothing", () => undefined as never, minted],
  ])("costs a finished run nothing when `end` %s", async (_what, end, expected) => {
    const { result, feedback } = withFeedback(Promise.resolve("done"), optionsWith({ end }));
    await expect(result).resolves.toBe("done");
    const given = await feedback;
    expect(given?.tokens).toEqual(expected?.tokens);
  });

  it("a stream that has a reader already is returned as it is, mints nothing, and is reported", async () => {
    const stream = streamOf(words());
    stream.getReader();
    const [client, onError] = [aClient(), vi.fn<(error: Error) => void>()];
    const { result, feedback } = withFeedback(stream, optionsWith({ client, onError }));
    expect(result).toBe(stream);
    await expect(feedback).resolves.toBeUndefined();
    expect(client.mint).not.toHaveBeenCalled();
    expect(onError).toHaveBeenCalledOnce();
  });
});
