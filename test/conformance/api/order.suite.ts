import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

/** What a request with all the faults is refused with, and how the first of them is mended. */
type Step = [fault: string, status: number, code: string, mend: () => void];

/** In which order a request is checked (decision D19); the limits of the rate have their place in their own suite. */
export function orderSuite(suite: SuiteApi) {
  describe("a request with many faults", () => {
    it("reports the first problem of a fixed order, and uses its token only when none is left", async () => {
      const client = suite.client("plain");
      const respondentId = suite.newPerson();
      const mint = () => client.boundToken("csat", { respondentId, sessionId: "run" });
      const [used, fresh] = [await mint(), await mint()];
      await client.submit({ showToken: used, surveyId: "csat", rating: 5 });

      const headers = { "origin": "https://evil.example", "content-type": "text/html" };
      const fields: Record<string, unknown> = { key: "aw_pk_nobody", showToken: "x", surveyId: "nope" };
      Object.assign(fields, { sessionId: "another", rating: "9", padding: "x".repeat(300_000) });
      let end = "";
      const steps: Step[] = [
        ["too large", 413, "payload_too_large", () => delete fields["padding"]],
        ["media type", 415, "unsupported_media_type", () => (headers["content-type"] = "application/json")],
        ["no JSON", 400, "invalid_body", () => (end = "}")],
        ["wrong shape", 400, "invalid_body", () => (fields["rating"] = 9)],
        ["unknown key", 401, "invalid_key", () => (fields["key"] = client.keys.publishableKey)],
        ["origin", 403, "origin_not_allowed", () => (headers.origin = "https://app.example")],
        ["no token", 401, "token_invalid", () => (fields["showToken"] = used)],
        ["used token", 409, "token_used", () => (fields["showToken"] = fresh)],
        ["unknown survey", 404, "survey_not_found", () => (fields["surveyId"] = "nps")],
        ["other survey", 401, "token_invalid", () => (fields["surveyId"] = "csat")],
        ["other session", 401, "token_session_mismatch", () => (fields["sessionId"] = "run")],
        ["off the scale", 400, "rating_out_of_range", () => (fields["rating"] = 4)],
      ];
      const send = () => {
        const body = JSON.stringify(fields).slice(0, -1) + end;
        return client.call("POST", "/v1/sdk/responses", { body, headers });
      };
      for (const [fault, status, code, mend] of steps) {
        const { json, status: given } = await send();
        expect([fault, given, json.code]).toEqual([fault, status, code]);
        // Two of them have one code; JSON that cannot be read has no fields to point at.
        expect(Boolean(json.errors)).toBe(["wrong shape", "off the scale"].includes(fault));
        mend();
      }
      expect((await send()).status).toBe(201);
    });

    it("to a secret route reports key before size, and size before shape", async () => {
      const client = suite.client("plain");
      const send = (secretKey: string, body: string) =>
        client.call("POST", "/v1/sdk/tokens", { body, headers: { "x-service-key": secretKey } });
      const tooLarge = "x".repeat(40_000);
      expect((await send("aw_sk_nobody", tooLarge)).json.code).toBe("secret_key_required");
      expect((await send(client.keys.secretKey, tooLarge)).json.code).toBe("payload_too_large");
      expect((await send(client.keys.secretKey, "x")).json.code).toBe("invalid_body");
    });
  });
}
