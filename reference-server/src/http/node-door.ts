import { type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Exchange, pathOf } from "./exchange.ts";
import { type RequestListener } from "../program/listen.ts";
import { type Answers, type ServerApp } from "./mount.ts";
import { toResponse, type Reply } from "./reply.ts";

/**
 * Names, addresses of version 4 and usual ports. Whoever sends another Host goes through hono, whose adapter refuses those
 * that are none (RFC 9112, 3.2) before anything is done.
 */
const usualHost = /^[a-z0-9._-]+(?::[1-9]\d{1,3}|:[1-5]\d{4})?$/;

interface PlainReply extends Reply {
  body: string;
}

/** A whole text to somebody of whom everything has arrived. */
function isPlain(reply: Reply, incoming: IncomingMessage): reply is PlainReply {
  return typeof reply.body === "string" && incoming.complete;
}

function write({ status, headers, body }: PlainReply, outgoing: ServerResponse): void {
  headers["Content-Length"] = String(Buffer.byteLength(body));
  outgoing.writeHead(status, headers);
  outgoing.end(body);
}

/**
 * Answers what is in the table straight on Node's socket, and everything else by way of hono: objects of the fetch
 * standard cost a fifth of what a whole request costs on the socket, and the table needs nothing of theirs (decision O44).
 */
export function nodeDoor(app: ServerApp, answers: Answers): RequestListener {
  const viaHono = getRequestListener(app.fetch, { overrideGlobalObjects: true });
  return async (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const answer = answers.get(pathOf(url))?.get(method);
    if (!answer || !usualHost.test(headers.host ?? "")) return viaHono(incoming, outgoing);
    const reply = await answer(new Exchange({ incoming }));
    if (isPlain(reply, incoming)) return write(reply, outgoing);
    // Streams, and bodies that are still on their way, are the adapter's craft. It takes every request that comes here:
    // one that it refused would leave a stream open.
    return getRequestListener(() => toResponse(reply))(incoming, outgoing);
  };
}
