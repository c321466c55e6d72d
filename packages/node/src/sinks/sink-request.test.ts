import { describe, expect, it } from "vitest";
import { secretHeaders } from "../options/secret.ts";
import { type SinkReply, sinkRequests, type HttpSinkOptions } from "./sink-request.ts";
import { erasureOutcome, statusOutcome } from "./status-outcome.ts";
import { fakeFetch, untilAborted } from "./score.fixture.ts";

const { signal } = untilAborted();
const now = Date.parse("2026-11-21T08:00:00.000Z");
const outcomeOf = (reply: SinkReply) => statusOutcome(reply, () => true);

async function answering(response: () => Response | Promise<Response>, options: HttpSinkOptions = {}) {
  const { fetch } = fakeFetch(response);
  const send = sinkRequests(
    {
      name: "example",
      baseUrl: "https://example.test/base/",
      headers: async () => ({ authorization: "Bearer hush" }),
    },
    { fetch, clock: () => now, ...options },
  );
  return await send({ method: "POST", path: "/scores?key=hidden", body: { text: "my own words" } }, signal);
}

describe("from what a service answers to what becomes of the score", () => {
  // The sink suite shows the statuses that services document.
  it.each([
    [201, "delivered"],
    [301, "fatal"],
    [409, "retry"],
    [410, "fatal"],
    [418, "retry"],
    [599, "retry"],
  ])("%i is %s", async (status, outcome) => {
    const reply = await answering(
      () => new Response(null, { status, headers: { location: "https://elsewhere.test" } }),
    );
    expect(outcomeOf(reply).outcome).toBe(outcome);
  });

  it.each([
    [409, "score"],
    [418, "score"],
    [425, "sink"],
  ])("%i is a reason to leave the %s in peace", async (status, scope) => {
    const reply = await answering(() => new Response(null, { status }));
    expect(outcomeOf(reply)).toMatchObject({ outcome: "retry", scope });
  });

  it.each([
    ["7", 7000],
    ["0", 0],
    ["1.5", 1500],
    ["Sat, 21 Nov 2026 08:00:30 GMT", 30_000],
    ["Sat, 21 Nov 2026 07:00:00 GMT", 0],
    ["soon", undefined],
  ])("Retry-After: %s is %s ms", async (header, afterInMs) => {
    const reply = await answering(
      () => new Response(null, { status: 429, headers: { "retry-after": header } }),
    );
    expect(outcomeOf(reply)).toMatchObject({ outcome: "retry", afterInMs });
  });
});

describe("a 2xx that carries errors", () => {
  it.each([
    [{ successes: [], errors: [{ id: "a", status: 400, message: "bad" }] }, "permanent"],
    [{ successes: [], errors: [{ id: "a", status: 401 }] }, "fatal"],
    [{ successes: [], errors: [{ id: "a", status: 500 }] }, "retry"],
    [{ errors: ["something"] }, "retry"],
    [{ successes: [{ id: "a", status: 201 }], errors: [] }, "delivered"],
    [{ accepted: 0, rejected: 1, errors: [{ message: "bad" }] }, "permanent"],
    [{ accepted: 1, rejected: 0, errors: [] }, "delivered"],
  ])("%j is %s", async (body, outcome) => {
    const reply = await answering(() => Response.json(body, { status: 207 }));
    expect(outcomeOf(reply).outcome).toBe(outcome);
  });
});

describe("from what a service answers to a deletion to what became of the score", () => {
  it.each([
    [200, { message: "Deleted" }, "erased"],
    [204, null, "erased"],
    [404, { detail: "Feedback not found" }, "erased"],
    [404, "Annotation 1 not found", "erased"],
    [200, "<html>Please sign in</html>", "failed"],
    [404, "<html>Not here</html>", "failed"],
    [404, { detail: "Not Found" }, "failed"],
    [404, null, "failed"],
    [403, {}, "failed"],
  ])("%i with %j is %s", async (status, body, outcome) => {
    const text = typeof body === "string" || body === null ? body : JSON.stringify(body);
    const reply = await answering(() => new Response(text, { status }));
    expect(erasureOutcome(reply).outcome).toBe(outcome);
  });
});

describe("what a reason says", () => {
  it("names sink, method, path, status and request, and neither key nor query", async () => {
    const headers = { "x-request-id": "r-1" };
    const reply = await answering(() => new Response(null, { status: 400, headers }));
    expect(reply.reason).toBe("example: POST /scores answered 400 (request r-1)");
  });

  it.each([
    { message: "bad text: my own words" },
    { code: "Horrible" },
    { error_code: "jo.smith" },
    { error: "jo_smith" },
    { type: "Horrible" },
    "Horrible",
  ])("never repeats the sink's own words: %j", async (body) => {
    const headers = { "x-request-id": "my own words" };
    const reply = await answering(() => Response.json(body, { status: 400, headers }));
    expect(reply.reason).toBe("example: POST /scores answered 400");
  });

  it("names a network error by its code", async () => {
    const reply = await answering(() => {
      throw new TypeError("fetch failed: Bearer hush", { cause: { code: "ECONNRESET" } });
    });
    expect(reply).toMatchObject({ status: 0, reason: "example: POST /scores failed: ECONNRESET" });
  });
});

describe("a key that is asked for", () => {
  it.each([
    [
      "cannot be loaded",
      () => Promise.reject(Object.assign(new Error("vault: hush"), { code: "EVAULT" })),
      "EVAULT",
    ],
    ["is missing", async () => "", "ConfigurationError"],
    ["no header could carry", async () => "hush\n", "ConfigurationError"],
    ["throws what is no error", () => Promise.reject(undefined), "unknown error"],
  ])("and %s stops the request, which is tried again, and the reason says so", async (_, key, code) => {
    const { fetch, requests } = fakeFetch(() => ({}));
    const headers = secretHeaders(key, "The key", (value) => ({ authorization: value }));
    const send = sinkRequests({ name: "example", baseUrl: "https://example.test", headers }, { fetch });
    expect(outcomeOf(await send({ method: "GET", path: "/" }, signal))).toEqual({
      outcome: "retry",
      scope: "sink",
      reason: `example: could not load its key: ${code}`,
    });
    expect(requests).toEqual([]);
  });
});

describe("a reply", () => {
  it("is read only so far, so that an endless one cannot fill the memory", async () => {
    let chunks = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        chunks += 1;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const reply = await answering(() => new Response(endless));
    expect(reply).toMatchObject({ status: 200, body: expect.any(String) });
    expect(chunks).toBeLessThan(25);
  });
});

describe("a base URL that could only fail later", () => {
  it.each([
    "",
    "example.test",
    "ftp://example.test",
    "https://user:hush@example.test",
    "https://example.test?key=hush",
    "https://example.test#x",
  ])("%j is refused at the start and not repeated", (baseUrl) => {
    const make = () => sinkRequests({ name: "example", baseUrl });
    expect(make).toThrow(/base URL/);
    expect(make).not.toThrow(/hush/);
  });
});
