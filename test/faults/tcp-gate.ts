import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A door to a server that can be shut in the ways in which networks fail. */
export interface TcpGate {
  port: number;
  /** Keeps connections open and passes nothing on, as when a cable is pulled. */
  hold(): void;
  /** Resets what is open and refuses what comes. */
  cut(): void;
  /** Lets everything through again; what was held stays lost. */
  open(): void;
  close(): Promise<void>;
}

/** Listens on the loopback and passes on to `host:port`. */
export async function openTcpGate(host: string, port: number): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let state: "open" | "held" | "cut" = "open";
  const resetAll = () => sockets.forEach((socket) => socket.resetAndDestroy());
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
  };
  const pass = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => void (state === "open" && to.write(bytes)));
    from.on("end", () => void (state === "open" && to.end()));
    from.on("close", () => void (state !== "held" && to.destroy()));
  };
  const server = createServer((inside) => {
    track(inside);
    if (state === "cut") return inside.resetAndDestroy();
    const outside = connect(port, host);
    track(outside);
    pass(inside, outside);
    pass(outside, inside);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hold: () => void (state = "held"),
    cut: () => {
      state = "cut";
      resetAll();
    },
    open: () => {
      if (state === "held") resetAll();
      state = "open";
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        resetAll();
      }),
  };
}
