import { type Server } from "node:http";
import { type AddressInfo } from "node:net";

export interface ListenAddress {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** What sets the two. */
  flags: { host: string; port: string };
}

function reason(code: string | undefined, { host, port, flags }: ListenAddress): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use: stop the program that listens there, or choose another port with ${flags.port}.`;
    case "EACCES":
      return `This account may not listen on port ${port} on ${host}: choose a port from 1024 with ${flags.port}.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine does not have the address ${host}: choose one of its own with ${flags.host}, or 0.0.0.0 for all.`;
    default:
      return undefined;
  }
}

/** The server cannot listen on its address; the message says why and what to do. */
export class CannotListen extends Error {
  constructor(error: NodeJS.ErrnoException, address: ListenAddress) {
    super(
      reason(error.code, address) ??
        `Could not listen on port ${address.port} on ${address.host}: ${error.message}`,
      { cause: error },
    );
    this.name = "CannotListen";
  }
}

export interface OpenPort {
  /** Without a trailing slash. */
  url: string;
  /** Resolves when all connections have ended. */
  close(): Promise<void>;
}

/**
 * Starts listening; port 0 picks a free one. Closing cuts all connections.
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
