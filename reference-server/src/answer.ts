import { JsonText, type StreamedReply } from "./handlers.ts";
import { streamedBody } from "./streamed-body.ts";

/** On every reply but the description of the interface (decision D64). */
export const replyHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

const jsonType = "application/json; charset=utf-8";

function isStreamed(reply: object): reply is StreamedReply {
  return "chunks" in reply;
}

/** The reply of a handler as a response. A HEAD request gets the header alone. */
export function successResponse(
  reply: object,
  status: number,
  headers: Record<string, string>,
  isHead: boolean,
): Response | Promise<Response> {
  headers["Content-Type"] = jsonType;
  const init = { status, headers };
  if (!isStreamed(reply)) {
    const text = reply instanceof JsonText ? reply.text : JSON.stringify(reply);
    return new Response(text, init);
  }
  if (!isHead) return new Response(streamedBody(reply), init);
  return reply.close().then(() => new Response(null, init));
}
