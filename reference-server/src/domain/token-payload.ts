/** What a show-token says; nobody but the service can read it (decision D1). */
export interface TokenPayload {
  /** The project's epoch when it was issued (decision D21). */
  epoch: number;
  /** 128 random bits: the token's identity in the ledger of spent tokens. */
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

const optionalFields = ["respondentId", "sessionId", "observationId", "taskType"] as const;

/** Flags, epoch, token id, issued at, lifetime. */
const fixedLength = 1 + 4 + 16 + 6 + 4;

/** Packs a payload; each text is its length in two bytes and UTF-8. */
export function packPayload(payload: TokenPayload): Buffer {
  const texts = [payload.surveyId];
  let flags = 0;
  for (const [index, field] of optionalFields.entries()) {
    const text = payload[field];
    if (text === undefined) continue;
    flags |= 1 << index;
    texts.push(text);
  }
  const length = texts.reduce((sum, text) => sum + 2 + Buffer.byteLength(text), fixedLength);
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeUInt8(flags, 0);
  at = bytes.writeUInt32BE(payload.epoch, at);
  bytes.set(payload.tokenId, at);
  at = bytes.writeUIntBE(payload.issuedAt, at + 16, 6);
  at = bytes.writeUInt32BE(payload.lifetimeInSeconds, at);
  for (const text of texts) {
    const written = bytes.write(text, at + 2);
    bytes.writeUInt16BE(written, at);
    at += 2 + written;
  }
  return bytes;
}

/** Reads what `packPayload` wrote; its bytes are authenticated, so no other input reaches this. */
export function unpackPayload(bytes: Buffer): TokenPayload {
  const flags = bytes.readUInt8(0);
  let at = fixedLength;
  const readText = () => {
    const end = at + 2 + bytes.readUInt16BE(at);
    const text = bytes.toString("utf8", at + 2, end);
    at = end;
    return text;
  };
  const payload: TokenPayload = {
    epoch: bytes.readUInt32BE(1),
    tokenId: bytes.subarray(5, 21),
    issuedAt: bytes.readUIntBE(21, 6),
    lifetimeInSeconds: bytes.readUInt32BE(27),
    surveyId: readText(),
  };
  for (const [index, field] of optionalFields.entries()) {
    if (flags & (1 << index)) payload[field] = readText();
  }
  return payload;
}
