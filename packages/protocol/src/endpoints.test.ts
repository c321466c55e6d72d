import { describe, expect, it } from "vitest";
import { endpoints, problemsOf, problems, type Endpoint } from "./index.ts";
import { ackBody, pendingScoresQuery } from "./score.ts";
import { bootstrapBody, mintBody } from "./token.ts";
import { eraseQuery, exportQuery } from "./privacy.ts";
import { responseBody } from "./response.ts";

const table: [string, Endpoint][] = Object.entries(endpoints);
const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;
const answer = { showToken: "t", surveyId: "s", rating: 7 };

describe("the table of endpoints", () => {
  it("has the endpoints of the contract, the two extensions and both aliases", () => {
    expect(Object.keys(endpoints)).toEqual([
      "POST /v1/sdk/bootstrap",
      "POST /v1/sdk/responses",
      "POST /v1/dismissals",
      "POST /v1/shown",
      "POST /v1/sdk/tokens",
      "POST /v1/sdk/tokens/check",
      "GET /v1/sdk/pending-scores",
      "POST /v1/sdk/pending-scores/ack",
      "GET /v1/privacy/export",
      "DELETE /v1/privacy/erase",
      "GET /v1/definitions",
      "POST /v1/responses",
    ]);
  });

  it("gives every operation a unique name", () => {
    expect(new Set(table.map(([, endpoint]) => endpoint.operationId)).size).toBe(table.length);
  });

  it.each(table.filter(([, endpoint]) => endpoint.aliasOf))(
    "%s has the shapes of what it is an alias of",
    (_, alias) => {
      const original = endpoints[alias.aliasOf as keyof typeof endpoints];
      expect(alias).toMatchObject({ auth: original.auth, limit: original.limit, status: original.status });
      expect(alias.reply).toBe(original.reply);
    },
  );

  it.each(table)("%s lists its problems, all with known codes", (_, endpoint) => {
    const codes = problemsOf(endpoint);
    expect(codes).toEqual([...new Set(codes)]);
    for (const code of codes) expect(problems[code].status).toBeGreaterThanOrEqual(400);
    expect(codes.includes("rate_limited")).toBe(endpoint.limit !== "none");
  });

  it.each(table.filter(([, endpoint]) => endpoint.body))(
    "%s has an example of its body that it accepts",
    (_, endpoint) => {
      expect(endpoint.bodyExample).toBeDefined();
      expect(accepts(endpoint.body!, endpoint.bodyExample)).toBe(true);
    },
  );

  it("limits bodies so that the worst legal one fits: 256 KiB, mint 32 KiB, ack 512 KiB", () => {
    expect(endpoints["POST /v1/sdk/responses"].bodyLimit).toBe(256 * 1024);
    expect(endpoints["POST /v1/sdk/tokens"].bodyLimit).toBe(32 * 1024);
    expect(endpoints["POST /v1/sdk/pending-scores/ack"].bodyLimit).toBe(512 * 1024);
  });
});

describe("a rating", () => {
  it.each([
    ["7.0", 7],
    ["1e1", 10],
    ["0", 0],
  ])("%s in JSON is %i", (json, rating) => {
    expect(responseBody.parse({ ...answer, rating: JSON.parse(json) }).rating).toBe(rating);
  });

  it("of -0 is stored as 0", () => {
    expect(Object.is(responseBody.parse({ ...answer, rating: -0 }).rating, 0)).toBe(true);
  });

  it.each([
    ["a string", "7"],
    ["a fraction", 7.5],
    ["true", true],
    ["null", null],
    ["-1", -1],
    ["11", 11],
  ])("%s is refused", (_, rating) => expect(accepts(responseBody, { ...answer, rating })).toBe(false));

  it("loses fields that are not in the contract", () => {
    expect(responseBody.parse({ ...answer, admin: true })).toEqual(answer);
  });
});

describe("bodies and queries", () => {
  it("bootstrap treats a null userId as absent and refuses anything but an object", () => {
    expect(accepts(bootstrapBody, { userId: null })).toBe(true);
    for (const body of [null, [], "x"]) expect(accepts(bootstrapBody, body)).toBe(false);
  });

  it("mint bounds respondent, session and observation at 256 and the task type at 128", () => {
    const body = { respondentId: "r".repeat(256), sessionId: "s".repeat(256), taskType: "t".repeat(128) };
    expect(accepts(mintBody, body)).toBe(true);
    for (const field of ["respondentId", "sessionId", "taskType"] as const) {
      expect(accepts(mintBody, { ...body, [field]: `${body[field]}x` })).toBe(false);
      expect(accepts(mintBody, { ...body, [field]: "" })).toBe(false);
    }
  });

  it("a page has 1 to 100 rows; more is treated as 100", () => {
    for (const limit of ["1", "50", "100"])
      expect(pendingScoresQuery.parse({ limit }).limit).toBe(Number(limit));
    for (const limit of ["101", "999999999"]) expect(pendingScoresQuery.parse({ limit }).limit).toBe(100);
  });

  it.each(["0", "-1", "1.5", "", "abc", "0x10", "1e2", " 5", "01", "9999999999"])(
    "the page size %j is refused",
    (limit) => expect(accepts(pendingScoresQuery, { limit })).toBe(false),
  );

  it.each(["false", "TRUE", "1", ""])("includeFailed=%s is refused", (includeFailed) =>
    expect(accepts(pendingScoresQuery, { includeFailed })).toBe(false),
  );

  it("a lease is 0 to 300 seconds, and never without a consumer of 1 to 64 characters, nor the reverse", () => {
    const consumer = "c".repeat(64);
    for (const lease of ["0", "1", "300"])
      expect(pendingScoresQuery.parse({ lease, consumer }).lease).toBe(Number(lease));
    for (const lease of ["-1", "301", "1.5", "", "01", "1e2", " 5", "0x10"])
      expect(accepts(pendingScoresQuery, { lease, consumer })).toBe(false);
    for (const wrong of ["", `${consumer}x`, "two\nlines"])
      expect(accepts(pendingScoresQuery, { lease: "60", consumer: wrong })).toBe(false);
    for (const half of [{ lease: "60" }, { consumer }]) expect(accepts(pendingScoresQuery, half)).toBe(false);
  });

  it("an acknowledgement has 1 to 200 results, each with a known state", () => {
    const results = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `r${index}`, state: "delivered" }));
    expect(accepts(ackBody, { results: results(200) })).toBe(true);
    for (const count of [0, 201]) expect(accepts(ackBody, { results: results(count) })).toBe(false);
    expect(accepts(ackBody, { results: [{ id: "r", state: "lost" }] })).toBe(false);
    expect(accepts(ackBody, { results: [{ id: "x".repeat(129), state: "failed" }] })).toBe(false);
  });
});

describe("selectors", () => {
  it("that are misspelt are refused, so that a typo never widens an erase", () => {
    expect(accepts(eraseQuery, { respondentid: "ann" })).toBe(false);
    expect(accepts(eraseQuery, { respondentId: "ann", surveyslug: "s" })).toBe(false);
    expect(accepts(exportQuery, { respondentid: "ann" })).toBe(false);
  });

  it("may be missing in an export, which is then the whole project, but not in an erase", () => {
    expect(accepts(eraseQuery, {})).toBe(false);
    expect(accepts(exportQuery, {})).toBe(true);
  });

  it("account is true or 1, without any other", () => {
    for (const account of ["true", "1"]) expect(accepts(eraseQuery, { account })).toBe(true);
    for (const account of ["TRUE", "yes", "0", "false", ""])
      expect(accepts(eraseQuery, { account })).toBe(false);
    for (const other of [{ respondentId: "a" }, { email: "a@b.example" }, { surveySlug: "s" }])
      expect(accepts(eraseQuery, { account: "1", ...other })).toBe(false);
  });

  it("that are empty strings or bad e-mail addresses are refused", () => {
    for (const query of [{ respondentId: "" }, { email: "" }, { email: "ann" }, { surveySlug: "" }])
      expect(accepts(exportQuery, query)).toBe(false);
    expect(accepts(exportQuery, { email: " Ann@Example.org " })).toBe(true);
  });
});
