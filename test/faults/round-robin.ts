import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";

interface Upstream {
  url: URL;
  inFlight: number;
  isDraining: boolean;
  onIdle?: () => void;
}

/** Without the fields that are about one connection, not about the message. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const ownOfConnection = new Set(["connection", "keep-alive"]);
  return rawHeaders.filter(
    (_, index) => !ownOfConnection.has(rawHeaders[index - (index % 2)]!.toLowerCase()),
  );
}

/** A small reverse proxy: each request goes to the next node, whatever connection it came on. */
export class RoundRobin {
  // Kept open: a node that answers before it has read everything would otherwise close, and its answer could be lost.
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  readonly #upstreams: Upstream[] = [];
  #next = 0;
  #alarm: { at: number; ring: () => void } | undefined;

  static async open(): Promise<RoundRobin> {
    const proxy = new RoundRobin();
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(url: string): void {
    this.#upstreams.push({ url: new URL(url), inFlight: 0, isDraining: false });
  }

  /** Resolves when that many more requests have come. */
  afterRequests(count: number): Promise<void> {
    return new Promise((ring) => (this.#alarm = { at: this.#next + count, ring }));
  }

  remove(url: string): void {
    const index = this.#upstreams.findIndex((upstream) => upstream.url.origin === url);
    if (index >= 0) this.#upstreams.splice(index, 1);
  }

  /** Sends a node nothing more, and resolves when it has answered what it got. */
  async drain(url: string): Promise<void> {
    const upstream = this.#upstreams.find((one) => one.url.origin === url);
    if (!upstream) return;
    upstream.isDraining = true;
    if (upstream.inFlight > 0) await new Promise<void>((resolve) => (upstream.onIdle = resolve));
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const ready = this.#upstreams.filter(({ isDraining }) => !isDraining);
    const upstream = ready[this.#next++ % ready.length];
    if (this.#alarm && this.#next >= this.#alarm.at) this.#alarm.ring();
    if (!upstream) return void outgoing.writeHead(503).end();
    upstream.inFlight++;
    outgoing.once("close", () => {
      if (--upstream.inFlight === 0) upstream.onIdle?.();
    });
    // Kept for the case that it has to be sent again.
    const body: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => body.push(chunk));
    this.#send(upstream, incoming, outgoing, body);
  }

  #send(upstream: Upstream, incoming: IncomingMessage, outgoing: ServerResponse, body: readonly Buffer[]) {
    const passedOn = request({
      agent: this.#agent,
      host: upstream.url.hostname,
      port: upstream.url.port,
      method: incoming.method,
      path: incoming.url,
      headers: endToEnd(incoming.rawHeaders),
      setHost: false,
    });
    let hasReply = false;
    const abandon = () => passedOn.destroy();
    passedOn.on("response", (reply) => {
      hasReply = true;
      outgoing.writeHead(reply.statusCode!, endToEnd(reply.rawHeaders));
      reply.pipe(outgoing);
      // A body that is cut short is cut short for the client too.
      reply.on("error", () => outgoing.destroy());
    });
    passedOn.on("error", () => {
      outgoing.off("close", abandon);
      // One that answers before it has read everything has answered.
      if (hasReply || outgoing.destroyed) return;
      incoming.unpipe(passedOn);
      // The node had closed the connection for being idle, and its word of it was still on the way. A node that died
      // refuses the second connection.
      if (passedOn.reusedSocket) this.#send(upstream, incoming, outgoing, body);
      // The node died with the request: its outcome is unknown, so the client has to retry.
      else outgoing.writeHead(502).end("the node died");
    });
    outgoing.once("close", abandon);
    for (const chunk of body) passedOn.write(chunk);
    if (incoming.readableEnded) passedOn.end();
    else incoming.pipe(passedOn);
  }
}
