import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { AbortError, AfterwordError, ApiError, TimeoutError } from "../index.ts";
import {
  aService,
  client,
  json,
  mintBody,
  moveTimersByHand,
  problem,
  secretKey,
  throughAllWaits,
} from "./scripted-service.fixture.ts";

moveTimersByHand();

describe("errors", () => {
  it("carry status, code, request id and what the service asks for", async () => {
    const service = aService(problem(429, "rate_limited", { instance: "request-9" }, { "retry-after": "3" }));
    const error: unknown = await throughAllWaits(
      client(service, { maxRetries: 0 })
        .mint(mintBody)
        .catch((thrown: unknown) => thrown),
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 429,
      code: "rate_limited",
      requestId: "request-9",
      retryAfterInMs: 3000,
      retryable: true,
      method: "POST",
      path: "/v1/sdk/tokens",
    });
    expect((error as Error).message).toBe(
      "POST /v1/sdk/tokens was refused with status 429: rate_limited, Too many requests [request id request-9]",
    );
  });

  it("say where a body is wrong, and what to do", async () => {
    const service = aService(
      problem(400, "invalid_body", {
        detail: "Send a JSON object of the documented shape.",
        errors: [{ pointer: "/respondentId", code: "too_small" }],
      }),
    );
    await expect(client(service).mint({ ...mintBody, respondentId: "" })).rejects.toThrow(
      "POST /v1/sdk/tokens was refused with status 400: invalid_body, " +
        "Send a JSON object of the documented shape. (/respondentId)",
    );
  });

  it("name each pointer once, although it has several faults or the detail names it", async () => {
    const errors = [
      { pointer: "/respondentId", code: "invalid_type" },
      { pointer: "/sessionId", code: "invalid_type" },
      { pointer: "/sessionId", code: "too_small" },
    ];
    const detail = "/respondentId must be text.";
    const service = aService(problem(400, "invalid_body", { detail, errors }));
    await expect(client(service).mint(mintBody)).rejects.toThrow(
      /refused with status 400: invalid_body, \/respondentId must be text\. \(\/sessionId\)$/,
    );
  });

  it("quote nothing of a body whose shape is not known, since it may repeat personal data", async () => {
    const service = aService(
      json({ message: "no such person: jo@example.com" }, 404, { "x-request-id": "abc" }),
    );
    await expect(client(service).mint(mintBody)).rejects.toThrow(
      /^POST \/v1\/sdk\/tokens was refused with status 404 \[request id abc\]$/,
    );
  });

  it("tell a timeout from a lost connection", async () => {
    const never = () => new Promise<Response>(() => undefined);
    const call = client(aService(never), { timeoutInMs: 1000, maxRetries: 0 }).mint(mintBody);
    await expect(throughAllWaits(call)).rejects.toThrow(TimeoutError);
    await expect(throughAllWaits(call)).rejects.toThrow("POST /v1/sdk/tokens was not answered in time");
  });

  const refused = new TypeError("fetch failed", {
    cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
  });
  it.each([
    ["a connection is refused", refused, "ECONNREFUSED"],
    ["nothing answers", () => new Promise<Response>(() => undefined), "was not answered in time"],
    ["the key is refused", problem(401, "secret_key_required"), "secret_key_required"],
  ])("show no secret key when they are printed with all that they hold: %s", async (_, reply, reason) => {
    const call = client(aService(reply), { timeoutInMs: 1000, maxRetries: 0 }).mint(mintBody);
    const error: unknown = await throughAllWaits(call).catch((thrown: unknown) => thrown);
    const printed = inspect(error, { depth: Infinity, showHidden: true });
    expect(printed).toContain(reason);
    expect(printed).not.toContain(secretKey);
  });

  it("tell when the caller's own signal ended the call, also while waiting for a retry", async () => {
    const ending = new AbortController();
    const service = aService(new Response("busy", { status: 503 }));
    const call = client(service).mint(mintBody, { signal: ending.signal });
    call.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(10);
    ending.abort();
    await expect(throughAllWaits(call)).rejects.toThrow(AbortError);
    expect(service.seen).toHaveLength(1);
  });

  it("say that something else than the service has answered", async () => {
    const service = aService(new Response("<html>sign in</html>", { status: 200 }));
    await expect(client(service, { maxRetries: 0 }).mint(mintBody)).rejects.toThrow(
      "is baseUrl the service's address?",
    );
  });

  it("are recognised across two copies of the package", () => {
    const foreign = { [Symbol.for("afterword.error")]: true, name: "ApiError" };
    expect(AfterwordError.isInstance(foreign)).toBe(true);
    expect(ApiError.isInstance(foreign)).toBe(true);
    expect(TimeoutError.isInstance(foreign)).toBe(false);
    expect(AfterwordError.isInstance(new Error("other"))).toBe(false);
    expect(AfterwordError.isInstance(undefined)).toBe(false);
  });
});
