import { type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Exchange, pathOf } from "./exchange.ts";
import { type RequestListener } from "./listen.ts";
import { type Answers, type ServerApp } from "./mount.ts";
import { toResponse, type Reply } from "./reply.ts";

/** A whole text to somebody who has said all that they had to say. */
function isPlain({ body }: Reply, incoming: IncomingMessage): boolean {
  return typeof body === "string" && incoming.complete;
}

function write({ status, headers, body }: Reply, outgoing: ServerResponse): void {
  const text = body as string;
  headers["Content-Length"] = String(Buffer.byteLength(text));
  outgoing.writeHead(status, headers);
  outgoing.end(text);
}

/**
 * Answers what is in the table straight on Node's socket, and everything else by way of hono: objects of the fetch
 * standard cost a fifth of what a whole request costs on the socket, and the table needs nothing of theirs (decision O43).
 */
export function nodeDoor(app: ServerApp, answers: Answers): RequestListener {
  const viaHono = getRequestListener(app.fetch, { overrideGlobalObjects: true });
  return async (incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    const answer = answers.get(pathOf(url))?.get(method);
    if (!answer) return viaHono(incoming, outgoing);
    const reply = await answer(new Exchange({ incoming }));
    if (isPlain(reply, incoming)) return write(reply, outgoing);
    // Streams, and bodies that were not read to their end, are the library's craft.
    return getRequestListener(() => toResponse(reply))(incoming, outgoing);
  };
}
