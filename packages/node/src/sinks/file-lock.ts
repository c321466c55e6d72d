import { createHash } from "node:crypto";
import { type EventEmitter, once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Locks a file, once other processes have released it, until what this returns is disposed of. The lock is a listening socket
 * named after the file: the operating system closes it when the process dies, so a crash leaves no lock behind. Processes
 * that share the file over a network do not see each other's locks.
 */
export async function lockFile(path: string, system = platform()): Promise<AsyncDisposable> {
  const address = addressOf(path, system);
  for (;;) {
    // Each connection waits for the lock, and ends with it or with this process.
    const waiting = new Set<Socket>();
    const server = createServer((socket) => void waiting.add(socket.unref().on("error", () => undefined)));
    const failure = await errorBefore("listening", server.unref().listen(address));
    if (failure === undefined) return { [Symbol.asyncDispose]: () => closed(server, waiting) };
    if (failure.code !== "EADDRINUSE") throw failure;
    // Without reading, the end of the connection would not be noticed.
    const refusal = await errorBefore("close", connect(address).resume());
    // Another user's, so that this wait would never end.
    if (refusal?.code === "EACCES") throw refusal;
    // A socket in the file system outlives its process, but then refuses connections.
    if (refusal?.code === "ECONNREFUSED" && !address.startsWith("\0")) await rm(address, { force: true });
  }
}

function addressOf(path: string, system: NodeJS.Platform): string {
  const name = `afterword-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  if (system === "linux" || system === "android") return `\0${name}`;
  return system === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

const errorBefore = (event: string, emitter: EventEmitter): Promise<NodeJS.ErrnoException | undefined> =>
  once(emitter, event).then(
    () => undefined,
    (error) => error,
  );

async function closed(server: Server, waiting: ReadonlySet<Socket>): Promise<void> {
  const end = once(server.close(), "close");
  for (const socket of waiting) socket.destroy();
  await end;
}
