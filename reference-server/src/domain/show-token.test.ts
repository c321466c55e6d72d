import { createDecipheriv, createHmac, hkdfSync } from "node:crypto";
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
/** The counter's first block, and the payload under it. */
const bytesOf = (token: string) => Buffer.from(token.split(".")[2]!.slice(0, -22), "base64url");
const seal = (fields: Partial<IssuePayload> = {}, surveyId = "s") =>
  tokens.seal("p", { ...issue, ...fields }, [surveyId])[0]!;

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
    const sealed = tokens.seal("p", issue, Array<string>(1000).fill("s"));
    const ids = sealed.map((token) => Buffer.from(tokens.open("p", token, now).tokenId).toString("hex"));
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
          fc.string({ unit: "binary" }).map((text) => seal().slice(0, -22) + text),
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
    for (const more of ["A", "AA", "AAAA", ".", "..", "=", "\n"]) {
      expect(codeOf(() => tokens.open("p", token + more, now))).toBe("token_invalid");
    }
  });

  it("cannot have its kind or key id exchanged: both are authenticated", () => {
    const [, keyId, ...sealed] = seal({ sessionId: "session" }).split(".");
    const spelled = (...parts: (string | undefined)[]) => [...parts, ...sealed].join(".");
    expect(codeOf(() => tokens.open("p", spelled("st2", keyId), now))).toBe("none");
    expect(codeOf(() => tokens.open("p", spelled("st1", keyId), now))).toBe("token_invalid");
    const later = now + 30 * dayInMs;
    const [, nextKeyId] = seal({ issuedAt: later }).split(".");
    expect(codeOf(() => tokens.open("p", spelled("st2", nextKeyId), later))).toBe("token_invalid");
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

  it("is refused when any of its characters is another", () => {
    const token = seal({ respondentId: "respondent" });
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "B" : "A";
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      expect(codeOf(() => tokens.open("p", changed, now))).toBe("token_invalid");
    }
  });

  it("shows nobody what it says", () => {
    const respondentId = "zoe@example.com";
    const bytes = bytesOf(seal({ respondentId, sessionId: "session-42" }, "survey-7"));
    for (const text of [respondentId, "session-42", "survey-7"]) expect(bytes.includes(text)).toBe(false);
  });

  it("is AES-256 in counter mode under an HMAC-SHA-256 of 128 bits over all of it, its kind and key id included", () => {
    const token = seal({ sessionId: "session-42" }, "survey-7");
    const keyId = token.split(".")[1]!;
    const key = (purpose: string) =>
      Buffer.from(
        hkdfSync("sha256", Buffer.alloc(32, 1), "", `afterword/${purpose}/show-token/${keyId}/p`, 32),
      );
    const mac = createHmac("sha256", key("authenticator")).update(token.slice(0, -22)).digest();
    expect(token.slice(-22)).toBe(mac.toString("base64url", 0, 16));
    const bytes = bytesOf(token);
    const opening = createDecipheriv("aes-256-ctr", key("cipher"), bytes.subarray(0, 16));
    const plain = opening.update(bytes.subarray(16));
    for (const text of ["session-42", "survey-7"]) expect(plain.includes(text)).toBe(true);
  });
});

describe("tokens of one reply", () => {
  const surveyIds = ["a", "a survey whose id takes more than one block", "c"];

  it("are each for their own survey, in the order of the surveys", () => {
    const sealed = tokens.seal("p", issue, surveyIds);
    expect(sealed.map((token) => tokens.open("p", token, now).surveyId)).toEqual(surveyIds);
  });

  it("are none where no survey may be asked", () => {
    expect(tokens.seal("p", issue, [])).toEqual([]);
  });

  it("cannot be made into another by exchanging their parts", () => {
    const [one, other] = tokens.seal("p", issue, ["a", "b"]);
    expect(one).toHaveLength(other!.length);
    const isWhole = (text: string) => text === one || text === other;
    for (let cut = 0; cut <= one!.length; cut++) {
      const mixed = one!.slice(0, cut) + other!.slice(cut);
      expect(codeOf(() => tokens.open("p", mixed, now))).toBe(isWhole(mixed) ? "none" : "token_invalid");
    }
  });

  it("never hide two payloads with the same block of the counter, nor do those of other replies", () => {
    let drawn = 0;
    const counting = new RandomPool((bytes) => {
      for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32BE(drawn++, at);
    });
    const counted = new ShowTokens(new ServiceSecrets(Buffer.alloc(32, 1)), counting);
    const sealed = Array.from({ length: 500 }, () => counted.seal("p", issue, surveyIds)).flat();
    const blocks = sealed.flatMap((token) => {
      const bytes = bytesOf(token);
      const used = Math.ceil((bytes.length - 16) / 16);
      const first = bytes.readUInt32BE(12);
      return Array.from({ length: used }, (_, later) => `${bytes.toString("hex", 0, 12)} ${first + later}`);
    });
    expect(blocks.length).toBeGreaterThan(3 * 500 * 2);
    expect(new Set(blocks).size).toBe(blocks.length);
  });
});
