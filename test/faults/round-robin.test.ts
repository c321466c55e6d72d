import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { RoundRobin } from "./round-robin.ts";

// The proxy that stands before the nodes must lose nothing by itself, or the nodes would be blamed for it.

let proxy: RoundRobin;
let node: Server;

afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => node.close(resolve));
});

/** A node whose connections each take some requests and are reset by the next one, and a proxy before it. */
async function proxyBefore(requestsPerConnection: number): Promise<void> {
  const answer = (socket: Socket) => {
    let requests = 0;
    socket
      .on("error", () => undefined)
      .on("data", () => {
        if (requests++ === requestsPerConnection) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok");
      });
  };
  node = createServer(answer);
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  proxy = await RoundRobin.open();
  proxy.add(`http://127.0.0.1:${(node.address() as AddressInfo).port}`);
}

describe("the proxy before the nodes", () => {
  it.each(["DELETE", "POST"])(
    "a connection that its node closed for being idle costs no %s",
    async (method) => {
      await proxyBefore(1);
      const statuses: number[] = [];
      for (let count = 0; count < 4; count++) {
        const body = method === "POST" ? "{}" : undefined;
        statuses.push((await fetch(proxy.url, { method, body })).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200]);
    },
  );

  it("a node that dies with a request causes a 502: its outcome is unknown", async () => {
    await proxyBefore(0);
    expect((await fetch(proxy.url, { method: "POST", body: "{}" })).status).toBe(502);
  });
});
