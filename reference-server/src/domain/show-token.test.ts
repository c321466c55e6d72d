import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RandomPool } from "./random-pool.ts";
import { Refusal } from "./refusal.ts";
import { ServiceSecrets } from "./service-secrets.ts";
import { forgettableBefore, ShowTokens } from "./show-token.ts";
import { type IssuePayload } from "./token-payload.ts";

const dayInMs = 86_400_000;
const now = Date.parse("2026-03-04T05:06:07.089Z");
const tokens = new ShowTokens(new ServiceSecrets(Buffer.alloc(32, 1)));
const issue: IssuePayload = { epoch: 1, issuedAt: now, lifetimeInSeconds: 3600 };
const seal = (fields: Partial<IssuePayload> = {}, surveyId = "s") =>
  tokens.sealer("p", { ...issue, ...fields })(surveyId);

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (Refusal.isInstance(error)) return error.code;
    throw error;
  }
  return "none";
}

describe("a sealed token", () => {
  it("opens to what was sealed, whatever the texts", () => {
    const text = fc
      .string({ unit: "binary", minLength: 1, maxLength: 300 })
      .filter((one) => one.isWellFormed());
    const optional = fc.option(text, { nil: undefined });
    const payload = fc.record({
      respondentId: optional,
      sessionId: optional,
      observationId: optional,
      taskType: optional,
    });
    fc.assert(
      fc.property(payload, text, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (fields, surveyId, epoch) => {
        const { tokenId, ...opened } = tokens.open("p", seal({ ...fields, epoch }, surveyId), now);
        expect(opened).toEqual({ ...fields, surveyId, epoch, issuedAt: now, lifetimeInSeconds: 3600 });
        expect(tokenId).toHaveLength(16);
      }),
    );
  });

  it("has an id of its own, though everything else is the same", () => {
    const sealOne = tokens.sealer("p", issue);
    const ids = Array.from({ length: 1000 }, () =>
      Buffer.from(tokens.open("p", sealOne("s"), now).tokenId).toString("hex"),
    );
    expect(new Set(ids).size).toBe(1000);
  });

  it("has ids that are neighbours when issued at about the same time", () => {
    const ids = [0, 1, 2].map(
      (later) => tokens.open("p", seal({ issuedAt: now + later }), now + later).tokenId,
    );
    expect(ids.toSorted((one, other) => Buffer.compare(one, other))).toEqual(ids);
  });

  it("opens for its project and under its master key alone", () => {
    const token = seal();
    expect(codeOf(() => tokens.open("q", token, now))).toBe("token_invalid");
    const others = new ShowTokens(new ServiceSecrets(Buffer.alloc(32, 2)));
    expect(codeOf(() => others.open("p", token, now))).toBe("token_invalid");
  });

  it("is refused for whatever is not a token, and never fails otherwise", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.base64String().map((text) => `st1.k.${text}`),
        ),
        (text) => {
          expect(codeOf(() => tokens.open("p", text, now))).toBe("token_invalid");
        },
      ),
    );
  });

  it("is refused when it is cut or prolonged anywhere", () => {
    const token = seal({ sessionId: "session" });
    for (let length = 0; length < token.length; length++) {
      expect(codeOf(() => tokens.open("p", token.slice(0, length), now))).toBe("token_invalid");
    }
    for (const more of ["A", "AA", "AAAA", ".", "=", "\n"]) {
      expect(codeOf(() => tokens.open("p", token + more, now))).toBe("token_invalid");
    }
  });

  it("cannot have its kind or key id exchanged: both are authenticated", () => {
    const [, keyId, encoded] = seal({ sessionId: "session" }).split(".");
    expect(codeOf(() => tokens.open("p", `st1.${keyId}.${encoded}`, now))).toBe("token_invalid");
    const later = now + 30 * dayInMs;
    const [, nextKeyId] = seal({ issuedAt: later }).split(".");
    expect(codeOf(() => tokens.open("p", `st2.${nextKeyId}.${encoded}`, later))).toBe("token_invalid");
  });

  it("lives its lifetime and a minute, and is forgotten after that, never before", () => {
    const token = seal();
    const end = now + 3_600_000 + 60_000;
    const { tokenId } = tokens.open("p", token, end);
    expect(codeOf(() => tokens.open("p", token, end + 1))).toBe("token_expired");
    expect(Buffer.compare(tokenId, forgettableBefore(end))).toBeGreaterThan(0);
    expect(Buffer.compare(tokenId, forgettableBefore(end + 2 * 60_000))).toBeLessThan(0);
  });

  it("of a key that has been retired is invalid", () => {
    expect(codeOf(() => tokens.open("p", seal(), now + 90 * dayInMs))).toBe("token_invalid");
  });

  it("never uses a nonce twice", () => {
    let drawn = 0;
    const counting = new RandomPool((bytes) => {
      for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32BE(drawn++, at);
    });
    const sealOne = new ShowTokens(new ServiceSecrets(Buffer.alloc(32, 1)), counting).sealer("p", issue);
    const nonces = Array.from({ length: 2000 }, () =>
      Buffer.from(sealOne("s").split(".")[2]!, "base64url").toString("hex", 0, 12),
    );
    expect(new Set(nonces).size).toBe(2000);
  });
});
