import { JsonText, type StreamedReply } from "./handlers.ts";

/** On every reply but the description of the interface (decision D64). */
export const replyHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

const jsonType = "application/json; charset=utf-8";

function isStreamed(reply: object): reply is StreamedReply {
  return "chunks" in reply;
}

/** Pulls one chunk at a time, so that a slow reader holds one page in memory and not the export. */
function streamOf({ chunks, close }: StreamedReply): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (!done) return controller.enqueue(encoder.encode(value));
          await close();
          controller.close();
        } catch (error) {
          await close();
          // The connection is cut: a document that ends early must not look complete.
          controller.error(error);
        }
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  );
}

/** The reply of a handler as a response. A HEAD request gets the header alone. */
export async function successResponse(
  reply: object,
  status: number,
  headers: Record<string, string>,
  isHead: boolean,
): Promise<Response> {
  const init = { status, headers: { ...replyHeaders, ...headers, "Content-Type": jsonType } };
  if (!isStreamed(reply)) {
    const text = reply instanceof JsonText ? reply.text : JSON.stringify(reply);
    return new Response(text, init);
  }
  if (!isHead) return new Response(streamOf(reply), init);
  await reply.close();
  return new Response(null, init);
}
