import { type RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { isLoopbackHost, serve } from "@afterword/reference-server/internal";
import { type Answer } from "./watch-requests.ts";

const refusal =
  "afterword-server dev answers only to the names localhost, 127.0.0.1 and [::1]: open the address that it printed.\n";

/** A page whose name was pointed at this machine must not read a secret key, so each request must name the machine itself. */
function refusingOtherNames(answer: Answer): RequestListener {
  const handle = getRequestListener(answer);
  return (incoming, outgoing) => {
    const { url = "/", headers } = incoming;
    // An address in place of a path names the host, whatever the header says (RFC 9112, section 3.2.2).
    const target = url.startsWith("/") ? undefined : URL.parse(url);
    if (target) incoming.url = target.pathname + target.search;
    const isOwn = isLoopbackHost(headers.host ?? "") && (!target || isLoopbackHost(target.host));
    if (isOwn) return void handle(incoming, outgoing);
    outgoing.writeHead(403, { "content-type": "text/plain; charset=utf-8", "connection": "close" });
    outgoing.end(refusal);
  };
}

/** Listens on 127.0.0.1, to which the name localhost in its URL leads. @param port 0 picks a free one @throws CannotListen */
export async function listenOnLoopback(port: number, answer: Answer) {
  const { url, close } = await serve(refusingOtherNames(answer), "127.0.0.1", port);
  return { url: url.replace("127.0.0.1", "localhost"), close };
}
