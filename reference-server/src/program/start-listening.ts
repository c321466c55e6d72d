import { type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { CannotListen, type ListenAddress } from "./cannot-listen.ts";

/**
 * Starts listening; port 0 picks a free one. Resolves to the URL, without a trailing slash.
 * @throws CannotListen for a port in use or an address of another machine
 */
export function startListening(server: Server, address: ListenAddress): Promise<string> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CannotListen(error, address)));
    server.listen(port, host, () => {
      const name = host.includes(":") ? `[${host}]` : host;
      resolve(`http://${name}:${(server.address() as AddressInfo).port}`);
    });
  });
}
