import { Agent, request } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { startServer } from "@afterword/server";
import { describe, expect, it } from "vitest";
import { project } from "../conformance/api/projects.ts";

const config = { rateLimits: false, projects: [project("p")] } as const;

/** A network that takes time in both directions, whose far end has one address. */
async function slowNetwork(url: string, latencyInMs: number, address: string) {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    // Resets travel too, and nothing overtakes what was sent before.
    from.on("data", (bytes) => setTimeout(() => !to.destroyed && to.write(bytes), latencyInMs));
    from.on("end", () => setTimeout(() => to.end(), latencyInMs));
    from.on("error", () => setTimeout(() => to.resetAndDestroy(), latencyInMs));
    sockets.add(from);
  };
  const network = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({
      port: Number(port),
      host: "127.0.0.1",
      localAddress: address,
      allowHalfOpen: true,
      noDelay: true,
    });
    pass(near, far);
    pass(far, near);
  }).listen(0, "127.0.0.1");
  await once(network, "listening");
  return {
    url: `http://127.0.0.1:${(network.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      network.close();
    },
  };
}

interface Tally {
  answered: number;
  failed: Record<string, number>;
  connections: number;
}

/** One after the other on a connection that is kept, with pauses. */
async function honestClient(url: string, count: number, pause: () => number, tally: Tally) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let last: Socket | undefined;
  for (let index = 0; index < count; index++) {
    if (index > 0) await delay(pause());
    await new Promise<void>((resolve) => {
      const asking = request(`${url}/healthz`, { agent }, (reply) => {
        reply.resume();
        reply.once("end", resolve);
        tally.answered++;
        if (asking.socket !== last) tally.connections++;
        last = asking.socket!;
      });
      asking.once("error", (error: NodeJS.ErrnoException) => {
        const name = error.code ?? error.message;
        tally.failed[name] = (tally.failed[name] ?? 0) + 1;
        resolve();
      });
      asking.end();
    });
  }
  agent.destroy();
}

const clients = 200;
const requestsEach = 15;

describe("keep-alive clients of one address", () => {
  it("meet no reset, however many they are and whatever their latency", async () => {
    await using server = await startServer({ config });
    const rounds = [10, 40, 80].map(async (latencyInMs, index) => {
      using network = await slowNetwork(server.url, latencyInMs, `127.0.0.${index + 2}`);
      const tally: Tally = { answered: 0, failed: {}, connections: 0 };
      let turn = 0;
      // From 0.9 to 1.5 seconds, one after the other.
      const pause = () => 900 + ((turn++ * 37) % 600);
      await Promise.all(
        Array.from({ length: clients }, () => honestClient(network.url, requestsEach, pause, tally)),
      );
      return tally;
    });
    const tallies = await Promise.all(rounds);
    for (const { answered, failed } of tallies)
      expect({ answered, failed }).toEqual({ answered: clients * requestsEach, failed: {} });
  });

  it.each([
    ["the first hundred stay open, and the replies to all others say that they do not", undefined, 100],
    ["all stay open behind a trusted proxy, whose connections come from one address", 1, 150],
  ])("%s", async (_, trustedProxies, kept) => {
    await using server = await startServer({ config: { ...config, trustedProxies } });
    const { port } = new URL(server.url);
    const sockets = Array.from({ length: 150 }, () => connect(Number(port), "127.0.0.1"));
    const ask = async (socket: Socket) => {
      socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
      return String(((await once(socket, "data")) as [Buffer])[0]);
    };
    const isKept = (reply: string) => /^connection: keep-alive\r\nkeep-alive: timeout=75\r$/im.test(reply);
    const replies = await Promise.all(sockets.map(ask));
    expect(replies.filter(isKept)).toHaveLength(kept);
    expect(replies.filter((reply) => /^connection: close\r$/im.test(reply))).toHaveLength(150 - kept);
    const others = sockets.filter((_, index) => !isKept(replies[index]!));
    await Promise.all(others.map((socket) => socket.readableEnded || once(socket.resume(), "end")));
    // One of the kept ones makes room for another.
    const [first, ...rest] = sockets.filter((_, index) => isKept(replies[index]!));
    expect(isKept(await ask(rest[0]!))).toBe(true);
    first!.end();
    await once(first!.resume(), "close");
    const late = connect(Number(port), "127.0.0.1");
    expect(isKept(await ask(late))).toBe(true);
    for (const socket of [late, ...rest]) socket.destroy();
  });
});
