import { isUtf8 } from "node:buffer";
import { type IncomingMessage } from "node:http";
import { type ProblemCode } from "@afterword/protocol";
import { type Exchange } from "./exchange.ts";
import { type Passage } from "../limits/load-guard.ts";
import { Refusal } from "../domain/refusal.ts";

const tooLarge = (limit: number) =>
  new Refusal("payload_too_large", { detail: `Send a body of at most ${limit} bytes.` });
const unsupported = (detail: string) => new Refusal("unsupported_media_type", { detail });

/** sendBeacon can only send text/plain without asking first, and agents may send nothing (decision D48). */
const acceptedTypes = /^(application\/json|[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+\+json|text\/plain)$/;

/** @throws Refusal 415 */
export function checkMediaType(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentEncoding && contentEncoding.trim().toLowerCase() !== "identity") {
    throw unsupported("Send the body without a content encoding.");
  }
  if (!contentType || contentType === "application/json") return;
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  if (!acceptedTypes.test(type)) throw unsupported("Send the body as application/json.");
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) throw unsupported("Send the body in UTF-8.");
}

function declaredLength(header: string | undefined): number {
  return header === undefined ? 0 : Number(header);
}

/** What one body may be. */
interface BodyRules {
  /** Bytes. */
  limit: number;
  /** Of the problem when it is cut short. */
  code: ProblemCode;
  /** Where its bytes count. */
  passage: Passage;
}

/** Straight from the socket: a request object of the fetch standard would double the cost of a small body. */
function readIncoming(incoming: IncomingMessage, { limit, code, passage }: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > limit) throw tooLarge(limit);
        passage.hold(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        // What still comes is somebody else's to pass over, and each pause would stop that.
        incoming.off("data", take);
        incoming.pause();
        reject(error as Error);
      }
    };
    incoming.on("data", take);
    incoming.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const cut = () => reject(new Refusal(code, { detail: "The body ended before it was complete." }));
    // Node says this first, whatever the reason; errors are told only to whoever listens for them.
    incoming.on("aborted", cut);
    // What came with the head is then handed over while it is parsed, and not a turn later.
    incoming.read(0);
    if (incoming.destroyed) cut();
  });
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  { limit, passage }: BodyRules,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    passage.hold(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const noBytes = Buffer.alloc(0);

/** The bytes of a body within a limit. @throws Refusal 413, or 400 when it is cut short; StoreUnavailable */
export function readBody(exchange: Exchange, rules: BodyRules): Buffer | Promise<Buffer> {
  if (declaredLength(exchange.header("content-length")) > rules.limit) throw tooLarge(rules.limit);
  if (exchange.incoming) return readIncoming(exchange.incoming, rules);
  return exchange.body ? readStream(exchange.body, rules) : noBytes;
}

const byteOrderMark = "\ufeff";

/** The JSON value of a body; `undefined` when it is empty. A byte order mark is passed over (decision D53). */
export function parseJson(bytes: Buffer, code: ProblemCode): unknown {
  if (bytes.length === 0) return undefined;
  // A byte that is not UTF-8 must not become a replacement character in silence (decision D54).
  if (!isUtf8(bytes)) throw new Refusal(code, { detail: "The body is not valid UTF-8." });
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  } catch {
    throw new Refusal(code, { detail: "The body is not valid JSON." });
  }
}
