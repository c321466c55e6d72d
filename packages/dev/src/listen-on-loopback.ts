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

const absent: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]);

/** The same port of `::1`; `undefined` on a machine without IPv6. */
const listenOnVersion6 = (answer: RequestListener, port: number) =>
  serve(answer, "::1", port).catch((error: Error) => {
    const { code = "" } = (error.cause ?? {}) as NodeJS.ErrnoException;
    if (absent.has(code)) return undefined;
    throw error;
  });

/** Listens on 127.0.0.1 and, where there is one, on ::1; its URL has the name localhost. @param port 0 picks a free one @throws CannotListen */
export async function listenOnLoopback(port: number, answer: Answer) {
  const guarded = refusingOtherNames(answer);
  const first = await serve(guarded, "127.0.0.1", port);
  const { port: own } = new URL(first.url);
  try {
    const second = await listenOnVersion6(guarded, Number(own));
    const close = async () => void (await Promise.all([first.close(), second?.close()]));
    return { url: `http://localhost:${own}`, close };
  } catch (error) {
    await first.close();
    throw error;
  }
}
