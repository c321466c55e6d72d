import { describe, expect, it } from "vitest";
import { newRecordId } from "./ids-and-times.ts";
import { Refusal } from "./refusal.ts";
import { MasterKey } from "./master-keys.ts";
import {
  forgettableBefore,
  ledgerKey,
  longestLifetimeInMs,
  openShowToken,
  runTokenId,
  sealShowToken,
  type TokenPayload,
} from "./show-token.ts";

const dayInMs = 86_400_000;
const now = Date.parse("2026-03-04T05:06:07.089Z");
const midnight = Date.parse("2026-03-05T00:00:00.000Z");
const masterKey = Buffer.alloc(32, 1);
const only = (key: MasterKey) => {
  const keys = { sealing: () => key, opening: () => [key] };
  return { seal: sealShowToken.bind(null, keys), open: openShowToken.bind(null, keys) };
};
const tokens = only(new MasterKey(masterKey));
const issue = { epoch: 1, issuedAt: now, expiresAt: now + 3_600_000 };
/** Nonce, encrypted payload and tag. */
const bytesOf = (token: string) => Buffer.from(token.split(".")[2]!, "base64url");
const seal = (fields: Partial<TokenPayload> = {}) => {
  const payload = { ...issue, surveyId: "s", ...fields };
  return tokens.seal("p", { tokenId: newRecordId(payload.expiresAt), ...payload });
};

/** Made by Python's `cryptography` with the nonce 00 01 … 0b, for the project `p` under a master key of 32 times 01. */
const vector = [
  "st2.ftw.",
  "AAECAwQFBgcICQoLGFOrbY9HlEf-CCaMEPrl3RIHeuZLCImDH6ld02TlMr4Zwb_FgZsKsJCMYhVUC_ty",
  "a4jzlKKwks4_uziKkwQh0HXU-qRdfWvQWOKmAkHXwmAjq_QlxH8XQvP6qRGiewm5G3zQREjx42ThIxyC",
  "qmP2MnWuAp9Z0LBbsde9FI2A5jEvuBn7e0ln4CU0hcAXf4_xRdfLGs3Dtx6RdD7bkpSkbsgKD6S9S-2y",
  "hQcs_Dv3c_RstI0YSLpKpNhp9yCTD4BsUN16XPOEIViLAqqeM2XN",
].join("");

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return "none";
}

describe("a sealed token", () => {
  it("may have one id for all tokens of a run, behind every time of expiry in the ledger", () => {
    const hash = Buffer.alloc(16, 0x5a);
    const idOf = () => ledgerKey(tokens.open("p", seal({ tokenId: runTokenId(hash) }), now));
    const [one, other] = [idOf(), idOf()];
    expect(one).toEqual(other);
    expect(one).toHaveLength(16);
    expect(Buffer.compare(one, forgettableBefore(Date.parse("9999-12-31T23:59:59.999Z")))).toBe(1);
  });

  it("stands in the ledger in the order in which tokens expire", () => {
    const ids = [0, 1, 2].map((later) =>
      ledgerKey(tokens.open("p", seal({ expiresAt: issue.expiresAt + later }), now)),
    );
    expect(ids.map((id) => id.length)).toEqual([16, 16, 16]);
    expect(ids.toSorted((one, other) => Buffer.compare(one, other))).toEqual(ids);
  });

  it("cannot have its kind or key id exchanged: both are authenticated", () => {
    const [, keyId, ...sealed] = seal({ sessionId: "session" }).split(".");
    const spelled = (...parts: (string | undefined)[]) => [...parts, ...sealed].join(".");
    expect(codeOf(() => tokens.open("p", spelled("st2", keyId), now))).toBe("none");
    expect(codeOf(() => tokens.open("p", spelled("st1", keyId), now))).toBe("token_invalid");
    const unbound = seal().replace("st1.", "st2.");
    expect(codeOf(() => tokens.open("p", unbound, now))).toBe("token_invalid");
    const later = now + dayInMs;
    const [, nextKeyId] = seal({ issuedAt: later }).split(".");
    expect(codeOf(() => tokens.open("p", spelled("st2", nextKeyId), later))).toBe("token_invalid");
  });

  it("lives its lifetime and a minute, and is forgotten an hour after that, by a clock that may be ahead", () => {
    const token = seal();
    const end = now + 3_600_000 + 60_000;
    const key = ledgerKey(tokens.open("p", token, end));
    expect(codeOf(() => tokens.open("p", token, end + 1))).toBe("token_expired");
    expect(Buffer.compare(key, forgettableBefore(end + 3_600_000))).toBeGreaterThan(0);
    expect(Buffer.compare(key, forgettableBefore(end + 3_600_000 + 2 * 60_000))).toBeLessThan(0);
  });

  it("of 30 days is good to its end, also past midnight, under the key of the day on which it was issued", () => {
    expect(longestLifetimeInMs).toBe(30 * dayInMs);
    const codesAround = (issuedAt: number) => {
      const expiresAt = issuedAt + 30 * dayInMs;
      const token = seal({ issuedAt, expiresAt });
      return [0, 1].map((more) => codeOf(() => tokens.open("p", token, expiresAt + 60_000 + more)));
    };
    expect(codesAround(now)).toEqual(["none", "token_expired"]);
    // A day's key is forgotten with the last token that it can have sealed.
    expect(codesAround(midnight - 1)).toEqual(["none", "token_invalid"]);
    const keyIds = [0, 1, 2].map((day) => seal({ issuedAt: now + day * dayInMs }).split(".")[1]);
    expect(new Set(keyIds).size).toBe(3);
  });

  it("may have been issued by a clock that is five minutes ahead, also past midnight, and not more", () => {
    for (const at of [now, midnight - 1]) {
      const sealed = [0, 1].map((more) =>
        seal({ issuedAt: at + 5 * 60_000 + more, expiresAt: at + dayInMs }),
      );
      const codes = sealed.map((token) => codeOf(() => tokens.open("p", token, at)));
      expect(codes).toEqual(["none", "token_invalid"]);
    }
  });

  it("is refused with anything before or behind it", () => {
    for (const token of [` ${seal()}`, `x${seal()}`, `${seal()} `, `${seal()}.x`])
      expect(codeOf(() => tokens.open("p", token, now))).toBe("token_invalid");
  });

  it("is refused before any key is derived when its key id is older, newer or spelled differently", () => {
    const derived: string[] = [];
    class Watched extends MasterKey {
      override unseal(...given: Parameters<MasterKey["unseal"]>) {
        derived.push(given[0]);
        return super.unseal(...given);
      }
    }
    const watched = only(new Watched(masterKey));
    const [, keyId, sealed] = seal().split(".");
    const later = (days: number) => seal({ issuedAt: now + days * dayInMs });
    const spelled = ["", "0", `0${keyId}`, keyId!.toUpperCase(), `${keyId}z`, "z".repeat(4000)];
    for (const token of [later(-32), later(1), later(900), ...spelled.map((id) => `st1.${id}.${sealed}`)]) {
      expect(codeOf(() => watched.open("p", token, now))).toBe("token_invalid");
    }
    expect(derived).toEqual([]);
  });
});

describe("another implementation", () => {
  /** Web Crypto, with nothing of the server. @throws for all but a genuine token */
  async function openElsewhere(projectId: string, token: string): Promise<unknown> {
    const [kind, keyId] = token.split(".");
    const text = new TextEncoder();
    const { subtle } = globalThis.crypto;
    const info = text.encode(`afterword/show-token/${keyId}/${projectId}`);
    const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
    const master = await subtle.importKey("raw", masterKey, "HKDF", false, ["deriveKey"]);
    const aes = { name: "AES-GCM", length: 256 };
    const key = await subtle.deriveKey(derivation, master, aes, false, ["decrypt"]);
    const bytes = bytesOf(token);
    const additionalData = text.encode(`${kind}.${keyId}`);
    const parameters = { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData, tagLength: 128 };
    const plain = await subtle.decrypt(parameters, key, bytes.subarray(12));
    return JSON.parse(new TextDecoder().decode(plain));
  }

  it("opens a token as AES-256-GCM of JSON with kind and key id as associated data", async () => {
    const token = seal({ respondentId: "Zoë 🙂", sessionId: "session-42", surveyId: "survey-7" });
    const payload = { ...issue, respondentId: "Zoë 🙂", sessionId: "session-42", surveyId: "survey-7" };
    expect(await openElsewhere("p", token)).toEqual({ ...payload, tokenId: expect.any(String) });
    await expect(openElsewhere("p", token.replace("st2.", "st1."))).rejects.toThrow();
    await expect(openElsewhere("q", token)).rejects.toThrow();
  });

  it("seals a token that opens here: the test vector of this format", () => {
    expect(tokens.open("p", vector, now)).toEqual({
      tokenId: "019cb774-20f1-7000-8000-000000000000",
      ...issue,
      surveyId: "survey-7",
      respondentId: "zoe@example.com",
      sessionId: "session-42",
    });
  });
});

it("tokens never share a nonce", () => {
  const nonces = Array.from({ length: 6000 }, () => bytesOf(seal()).toString("hex", 0, 12));
  expect(new Set(nonces).size).toBe(6000);
});
