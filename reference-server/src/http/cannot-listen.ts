export interface ListenAddress {
  host: string;
  port: number;
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
