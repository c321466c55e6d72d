import { JsonText, type StreamedReply } from "./handlers.ts";
import { streamedBody } from "./streamed-body.ts";

/** What goes back to a client, whichever way it goes: hono's, msw's or straight through Node's socket. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** `null` is no body at all. */
  body: string | StreamedReply | null;
}

/** On every reply but the description of the interface (decision D64). */
export const replyHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

const jsonType = "application/json; charset=utf-8";

function isStreamed(reply: object): reply is StreamedReply {
  return "chunks" in reply;
}

function textOf(reply: object): string {
  return reply instanceof JsonText ? reply.text : JSON.stringify(reply);
}

/** What a handler has answered. A HEAD request gets the header alone. */
export function successReply(
  answer: object,
  status: number,
  headers: Record<string, string>,
  isHead: boolean,
): Reply | Promise<Reply> {
  headers["Content-Type"] = jsonType;
  if (!isStreamed(answer)) return { status, headers, body: textOf(answer) };
  if (!isHead) return { status, headers, body: answer };
  return answer.close().then(() => ({ status, headers, body: null }));
}

export function toResponse({ status, headers, body }: Reply): Response {
  const isText = typeof body === "string" || body === null;
  return new Response(isText ? body : streamedBody(body), { status, headers });
}
