import { describe, expect, it, vi } from "vitest";
import { withFeedback, type Logger, type MintBody, type Minted } from "../index.ts";

const minted: Minted = {
  tokens: { csat: "st2.token" },
  suppression: [],
  issuedAt: "2026-11-21T09:00:00.000Z",
  gated: false,
};
const body: MintBody = { respondentId: "respondent-1", sessionId: "session-1", taskType: "search" };

const aClient = (answer: () => Promise<Minted> = async () => minted) => ({
  mint: vi.fn<(body: MintBody, options?: object) => Promise<Minted>>(answer),
});
const aLogger = () => {
  const line = () => vi.fn<(message: string) => void>();
  return { debug: line(), info: line(), warn: line(), error: line() } satisfies Logger;
};
const session = () => body;

async function* words() {
  yield "a";
  yield "b";
}

function streamOf(source: AsyncGenerator<string>): ReadableStream<string> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function readAll(source: AsyncIterable<string>): Promise<string[]> {
  const seen: string[] = [];
  for await (const word of source) seen.push(word);
  return seen;
}

describe("a run that has ended well", () => {
  it("gives its result at once, and its feedback when the mint has come back", async () => {
    const mint = Promise.withResolvers<Minted>();
    const client = aClient(() => mint.promise);
    const run = withFeedback(async (question: string) => `${question}!`, { client, session });
    const { result, feedback } = await run("why");
    expect(result).toBe("why!");
    mint.resolve(minted);
    await expect(feedback).resolves.toEqual({ ...minted, sessionId: "session-1", taskType: "search" });
  });

  it("is described by the server's own knowledge: the result and the arguments", async () => {
    const client = aClient();
    const run = withFeedback(
      async (userId: string, question: string) => ({ traceId: `${userId}-${question}` }),
      {
        client,
        session: ({ traceId }, userId) => ({ respondentId: userId, sessionId: traceId }),
      },
    );
    await (
      await run("jo", "why")
    ).feedback;
    const within = { signal: expect.any(AbortSignal) };
    expect(client.mint).toHaveBeenCalledExactlyOnceWith({ respondentId: "jo", sessionId: "jo-why" }, within);
  });

  it("mints nothing when session() returns nothing", async () => {
    const client = aClient();
    const { feedback } = await withFeedback(async () => 1, { client, session: () => undefined })();
    await expect(feedback).resolves.toBeUndefined();
    expect(client.mint).not.toHaveBeenCalled();
  });
});

describe("a run that fails", () => {
  it("fails as it would without the wrapper, and mints nothing", async () => {
    const client = aClient();
    const failure = new Error("the agent gave up");
    const run = withFeedback(
      async () => {
        throw failure;
      },
      { client, session },
    );
    await expect(run()).rejects.toBe(failure);
    expect(client.mint).not.toHaveBeenCalled();
  });
});

describe("a mint that fails costs the run nothing", () => {
  it.each([
    ["the service is down", aClient(() => Promise.reject(new Error("private words"))), session],
    ["session() throws", aClient(), () => Promise.reject(new Error("private words"))],
  ])("%s", async (_, client, sessionOf) => {
    const logger = aLogger();
    const { result, feedback } = await withFeedback(async () => 7, { client, session: sessionOf, logger })();
    expect(result).toBe(7);
    await expect(feedback).resolves.toBeUndefined();
    expect(logger.warn).toHaveBeenCalledOnce();
    expect(logger.warn.mock.calls.join("")).not.toContain("private words");
  });
});

describe("a streaming run keeps streaming", () => {
  it("as an async iterable, and mints once it was read to its end", async () => {
    const client = aClient();
    const { result, feedback } = await withFeedback(async () => words(), { client, session })();
    const reader = result[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: "a" });
    expect(client.mint).not.toHaveBeenCalled();
    await reader.next();
    await reader.next();
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("as a ReadableStream, one chunk at a time", async () => {
    const client = aClient();
    const { result, feedback } = await withFeedback(async () => streamOf(words()), {
      client,
      session,
    })();
    const seen = [];
    for await (const word of result) seen.push(word);
    expect(seen).toEqual(["a", "b"]);
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("as a Response, with its status and headers", async () => {
    const client = aClient();
    const stream = () => streamOf(words()).pipeThrough(new TextEncoderStream());
    const run = withFeedback(async () => new Response(stream(), { headers: { "x-run": "1" } }), {
      client,
      session,
    });
    const { result, feedback } = await run();
    expect(result.headers.get("x-run")).toBe("1");
    expect(client.mint).not.toHaveBeenCalled();
    expect(await result.text()).toBe("ab");
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("as an object that stands for a stream, when `end` gives the promise of its end", async () => {
    const client = aClient();
    const text = Promise.withResolvers<string>();
    const { feedback } = await withFeedback(async () => ({ text: text.promise }), {
      client,
      session,
      end: (result) => result.text,
    })();
    expect(client.mint).not.toHaveBeenCalled();
    text.resolve("done");
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("as an iterator that is read by hand", async () => {
    const { result, feedback } = await withFeedback(async () => words(), { client: aClient(), session })();
    for (let taken = await result.next(); !taken.done; taken = await result.next()) continue;
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
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
    const { result } = await withFeedback(async () => new Answer(), { client: aClient(), session })();
    expect([result.id, result.describe()]).toEqual(["run-1", "answer run-1"]);
  });
});

describe("a stream that does not come to its end mints nothing", () => {
  it.each([
    ["an iterable that throws", async () => brokenWords()],
    ["a ReadableStream that breaks", async () => streamOf(brokenWords())],
  ])("%s, which the reader sees as before", async (_, run: () => Promise<AsyncIterable<string>>) => {
    const client = aClient();
    const { result, feedback } = await withFeedback(run, { client, session })();
    await expect(readAll(result)).rejects.toThrow("the model hung up");
    await expect(feedback).resolves.toBeUndefined();
    expect(client.mint).not.toHaveBeenCalled();
  });

  it("one that the reader leaves early", async () => {
    const client = aClient();
    const { result, feedback } = await withFeedback(async () => words(), { client, session })();
    await result[Symbol.asyncIterator]().next();
    const reader = result[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.(undefined);
    await expect(feedback).resolves.toBeUndefined();
  });

  it("one that is cancelled", async () => {
    const client = aClient();
    const { result, feedback } = await withFeedback(async () => streamOf(words()), {
      client,
      session,
    })();
    await result.cancel();
    await expect(feedback).resolves.toBeUndefined();
  });

  it("one that is read by hand and left early", async () => {
    const { result, feedback } = await withFeedback(async () => words(), { client: aClient(), session })();
    await result.next();
    await result.return(undefined);
    await expect(feedback).resolves.toBeUndefined();
  });

  it("a Response that is a refusal", async () => {
    const client = aClient();
    const { feedback } = await withFeedback(async () => new Response("no", { status: 500 }), {
      client,
      session,
    })();
    await expect(feedback).resolves.toBeUndefined();
  });

  async function* brokenWords() {
    yield "a";
    throw new Error("the model hung up");
  }
});

describe("what cannot be watched", () => {
  const aRun = () => vi.fn<() => Promise<string>>(async () => "done");

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
    const { result, feedback } = await withFeedback(aRun(), { client: aClient(), session, end })();
    expect(result).toBe("done");
    const given = await feedback;
    expect(given?.tokens).toEqual(expected?.tokens);
  });

  it("a stream that has a reader already is returned as it is, mints nothing, and is logged", async () => {
    const stream = streamOf(words());
    stream.getReader();
    const logger = aLogger();
    const client = aClient();
    const { result, feedback } = await withFeedback(async () => stream, { client, session, logger })();
    expect(result).toBe(stream);
    await expect(feedback).resolves.toBeUndefined();
    expect(client.mint).not.toHaveBeenCalled();
    expect(logger.warn).toHaveBeenCalledOnce();
  });
});
