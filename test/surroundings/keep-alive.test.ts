import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { startServer } from "@afterword/server";
import { describe, expect, it } from "vitest";
import { project } from "../conformance/api/projects.ts";

const config = { rateLimits: false, projects: [project("p")] } as const;

describe("keep-alive clients of one address", () => {
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
