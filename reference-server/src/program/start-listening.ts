import { type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { CannotListen, type ListenAddress } from "./cannot-listen.ts";

export interface OpenPort {
  /** Without a trailing slash. */
  url: string;
  /** Cuts all connections. */
  close(): Promise<void>;
}

/**
 * Starts listening; port 0 picks a free one.
 * @throws CannotListen for a port in use or an address of another machine
 */
export function startListening(server: Server, address: ListenAddress): Promise<OpenPort> {
  const { host, port } = address;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CannotListen(error, address)));
    server.listen(port, host, () => {
      const name = host.includes(":") ? `[${host}]` : host;
      resolve({ url: `http://${name}:${(server.address() as AddressInfo).port}`, close });
    });
  });
}
