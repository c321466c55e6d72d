import { type IncomingMessage } from "node:http";
import { type ProblemCode } from "@afterword/protocol";
import { Refusal } from "./domain/refusal.ts";

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

/** Straight from the socket: a request object of the fetch standard would double the cost of a small body. */
function readIncoming(incoming: IncomingMessage, limit: number, code: ProblemCode): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        incoming.pause();
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    incoming.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const cut = () => reject(new Refusal(code, { detail: "The body ended before it was complete." }));
    incoming.on("error", cut);
    incoming.on("aborted", cut);
    if (incoming.destroyed) cut();
  });
}

async function readStream(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The bytes of a body within a limit. @throws Refusal 413, or 400 when it is cut short. */
export async function readBody(
  request: Request,
  incoming: IncomingMessage | undefined,
  limit: number,
  code: ProblemCode,
): Promise<Uint8Array> {
  if (declaredLength(request.headers.get("content-length") ?? undefined) > limit) throw tooLarge(limit);
  if (incoming) return readIncoming(incoming, limit, code);
  return request.body ? readStream(request.body, limit) : new Uint8Array();
}

// A byte that is not UTF-8 must not become a replacement character in silence (decision D54).
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The JSON value of a body; `undefined` when it is empty. A byte order mark is passed over (decision D53). */
export function parseJson(bytes: Uint8Array, code: ProblemCode): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new Refusal(code, { detail: "The body is not valid UTF-8." });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(code, { detail: "The body is not valid JSON." });
  }
}
