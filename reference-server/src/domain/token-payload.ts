/** What a show-token says; nobody but the service can read it (decision D1). */
export interface TokenPayload {
  /** The project's epoch when it was issued (decision D21). */
  epoch: number;
  /**
   * 128 bits: the token's identity in the ledger of spent tokens. Begins with the end of its life, so that those that
   * may be forgotten stand first there, and tokens of one time are neighbours; ends with 80 random bits.
   */
  tokenId: Uint8Array;
  issuedAt: number;
  /** Whole seconds. */
  lifetimeInSeconds: number;
  surveyId: string;
  respondentId?: string;
  /** Present on session-bound tokens alone. */
  sessionId?: string;
  observationId?: string;
  taskType?: string;
}

/** What tokens of one issue have in common. */
export type IssuePayload = Omit<TokenPayload, "tokenId" | "surveyId">;

/** Those that a payload may lack, in the order in which they stand in it. */
const flagOf = { respondentId: 1, sessionId: 2, observationId: 4, taskType: 8 } as const;
type OptionalField = keyof typeof flagOf;
const optionalFields = Object.keys(flagOf) as OptionalField[];

const timeLength = 6;
/** Of a token id. */
export const randomLength = 10;
const tokenIdLength = timeLength + randomLength;
/** Token id, flags, epoch, lifetime. */
const fixedLength = tokenIdLength + 1 + 4 + 4;

/** Texts one after the other, each as its length in two bytes and UTF-8. */
function packTexts(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + 2 + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) {
    const written = bytes.write(text, at + 2);
    bytes.writeUInt16BE(written, at);
    at += 2 + written;
  }
  return bytes;
}

/** Ids of tokens whose life ended before a moment are smaller, all others are not. */
export function tokenIdBoundary(endOfLife: number): Uint8Array {
  const bytes = Buffer.alloc(tokenIdLength);
  bytes.writeUIntBE(Math.max(0, endOfLife), 0, timeLength);
  return bytes;
}

export interface PayloadPacker {
  /** Bytes of the payload for a survey. */
  lengthFor(surveyId: string): number;
  /** Writes one token's payload, all of those bytes. @param random `randomLength` bytes that no other token has */
  write(target: Buffer, at: number, surveyId: string, random: Uint8Array): void;
}

/** Packs what tokens of one issue share, once. */
export function payloadPacker(issue: IssuePayload): PayloadPacker {
  const fixed = Buffer.alloc(fixedLength);
  const texts: string[] = [];
  let flags = 0;
  for (const field of optionalFields) {
    const text = issue[field];
    if (text === undefined) continue;
    flags |= flagOf[field];
    texts.push(text);
  }
  fixed.writeUIntBE(issue.issuedAt + issue.lifetimeInSeconds * 1000, 0, timeLength);
  fixed.writeUInt8(flags, tokenIdLength);
  fixed.writeUInt32BE(issue.epoch, tokenIdLength + 1);
  fixed.writeUInt32BE(issue.lifetimeInSeconds, tokenIdLength + 5);
  const common = packTexts(texts);
  return {
    lengthFor: (surveyId) => fixedLength + 2 + Buffer.byteLength(surveyId) + common.length,
    write: (target, at, surveyId, random) => {
      target.set(fixed, at);
      target.set(random, at + timeLength);
      const length = target.write(surveyId, at + fixedLength + 2);
      target.writeUInt16BE(length, at + fixedLength);
      target.set(common, at + fixedLength + 2 + length);
    },
  };
}

/** Reads what a packer wrote; its bytes are authenticated, so no other input reaches this. */
export function unpackPayload(bytes: Buffer): TokenPayload {
  const flags = bytes.readUInt8(tokenIdLength);
  let at = fixedLength;
  const readText = () => {
    const end = at + 2 + bytes.readUInt16BE(at);
    const text = bytes.toString("utf8", at + 2, end);
    at = end;
    return text;
  };
  const textIf = (field: OptionalField) => (flags & flagOf[field] ? readText() : undefined);
  const lifetimeInSeconds = bytes.readUInt32BE(tokenIdLength + 5);
  return {
    tokenId: bytes.subarray(0, tokenIdLength),
    issuedAt: bytes.readUIntBE(0, timeLength) - lifetimeInSeconds * 1000,
    epoch: bytes.readUInt32BE(tokenIdLength + 1),
    lifetimeInSeconds,
    surveyId: readText(),
    respondentId: textIf("respondentId"),
    sessionId: textIf("sessionId"),
    observationId: textIf("observationId"),
    taskType: textIf("taskType"),
  };
}
