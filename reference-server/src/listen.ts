import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type ServerApp } from "./mount.ts";

/** Decision D50: a slow sender cannot hold a connection. */
const headersTimeoutInMs = 10_000;
const requestTimeoutInMs = 30_000;
const checkTimeoutsEachMs = 2000;

export interface Listening {
  server: Server;
  url: string;
}

function urlOf(host: string, server: Server): string {
  const { port } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Listens on a port; 0 takes any free one. @throws when the port is taken. */
export function listen(app: ServerApp, host: string, port: number): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: headersTimeoutInMs,
      requestTimeout: requestTimeoutInMs,
      connectionsCheckingInterval: checkTimeoutsEachMs,
    },
    getRequestListener(app.fetch, { overrideGlobalObjects: true }),
  );
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve({ server, url: urlOf(host, server) }));
  });
}
