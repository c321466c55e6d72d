import { type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { CannotListen, type ListenAddress } from "./cannot-listen.ts";

/**
 * Lets a server listen; port 0 takes any free one. Resolves with its URL, without a slash at the end.
 * @throws CannotListen when the port is taken, or the address is none of this machine
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
