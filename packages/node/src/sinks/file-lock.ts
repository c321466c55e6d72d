import { createHash } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";

export interface FileLock {
  release(): Promise<void>;
}

/** Locks a file for one operation, after those of other processes. */
export async function waitForLock(path: string, system = platform()): Promise<FileLock> {
  for (;;) {
    const lock = await lockFile(path, system);
    if (lock !== null) return lock;
    await untilReleased(addressOf(path, system));
  }
}

/**
 * Locks a file for this process. Returns `null` when another process holds the lock. The lock is a listening socket named
 * after the file: the operating system closes it when the process dies, so a crash leaves no lock behind. Processes that
 * share the file over a network do not see each other's locks.
 */
export async function lockFile(path: string, system = platform()): Promise<FileLock | null> {
  const address = addressOf(path, system);
  const lock = await listen(address);
  if (lock !== null || address.startsWith("\0") || system === "win32") return lock;
  // A socket in the file system outlives its process, but then refuses connections.
  if (await isAnswered(address)) return null;
  await rm(address, { force: true });
  return await listen(address);
}

function addressOf(path: string, system: NodeJS.Platform): string {
  const name = `afterword-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  if (system === "linux" || system === "android") return `\0${name}`;
  return system === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

async function listen(address: string): Promise<FileLock | null> {
  // A connection waits for the lock, and ends with it or with this process.
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    waiting.add(socket);
    socket.unref().on("error", () => undefined);
    socket.on("close", () => waiting.delete(socket));
  });
  try {
    server.listen(address);
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return null;
    throw error;
  }
  server.unref();
  return {
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of waiting) socket.destroy();
      }),
  };
}

/** Resolves when the process that has the lock lets go of it, or is gone. */
async function untilReleased(address: string): Promise<void> {
  const socket = connect(address);
  // Without reading, the end of the connection would not be noticed.
  socket.resume();
  await new Promise<void>((resolve) => socket.on("error", () => undefined).on("close", () => resolve()));
}

async function isAnswered(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
