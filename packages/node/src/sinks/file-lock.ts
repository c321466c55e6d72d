import { createHash } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Locks a file for one operation, once other processes have released it, and returns the function that releases it. The
 * lock is a listening socket named after the file: the operating system closes it when the process dies, so a crash leaves
 * no lock behind. Processes that share the file over a network do not see each other's locks.
 */
export async function lockFile(path: string, system = platform()): Promise<() => Promise<void>> {
  const address = addressOf(path, system);
  for (;;) {
    const release = await listen(address);
    if (release !== undefined) return release;
    const failure = await untilReleased(address);
    // Another user's, so that this wait would never end.
    if (failure?.code === "EACCES") throw failure;
    // A socket in the file system outlives its process, but then refuses connections.
    if (failure?.code === "ECONNREFUSED" && !address.startsWith("\0")) await rm(address, { force: true });
  }
}

function addressOf(path: string, system: NodeJS.Platform): string {
  const name = `afterword-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  if (system === "linux" || system === "android") return `\0${name}`;
  return system === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Returns the function that stops listening; `undefined` if another process listens there. */
async function listen(address: string): Promise<(() => Promise<void>) | undefined> {
  // A connection waits for the lock, and ends with it or with this process.
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    waiting.add(socket);
    socket.unref().on("error", () => undefined);
    socket.on("close", () => waiting.delete(socket));
  });
  try {
    await once(server.listen(address), "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
  server.unref();
  return async () => {
    const closed = once(server.close(), "close");
    for (const socket of waiting) socket.destroy();
    await closed;
  };
}

/** Resolves when the process that has the lock releases it or is gone, to the error of a connection that failed. */
async function untilReleased(address: string) {
  const socket = connect(address);
  let failure: NodeJS.ErrnoException | undefined;
  // Without reading, the end of the connection would not be noticed.
  socket.resume().on("error", (error) => (failure = error));
  await new Promise((resolve) => socket.on("close", resolve));
  return failure;
}
