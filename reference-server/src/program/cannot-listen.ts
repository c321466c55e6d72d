const marker = Symbol.for("afterword.server.cannot-listen");

/** Where a server was told to listen, and what an operator calls the setting. */
export interface ListenAddress {
  host: string;
  port: number;
  /** The flags, for example `--host and --port`. */
  flags: { host: string; port: string };
}

/** By the codes of the operating system. */
function reason(code: string | undefined, { host, port, flags }: ListenAddress): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is taken: end the program that listens there, or choose another port by ${flags.port}.`;
    case "EACCES":
      return `This account may not listen on port ${port} of ${host}: choose one from 1024 by ${flags.port}.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine has no address ${host}: give one of its own by ${flags.host}; 0.0.0.0 stands for all of them.`;
    default:
      return undefined;
  }
}

/** The server cannot listen where it was told to; the message says why and what to do. */
export class CannotListen extends Error {
  readonly [marker] = true;

  constructor(error: NodeJS.ErrnoException, address: ListenAddress) {
    super(
      reason(error.code, address) ??
        `The server cannot listen on port ${address.port} of ${address.host}: ${error.message}`,
      { cause: error },
    );
    this.name = "CannotListen";
  }

  static isInstance(error: unknown): error is CannotListen {
    return typeof error === "object" && error !== null && marker in error;
  }
}
