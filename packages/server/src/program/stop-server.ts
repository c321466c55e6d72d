import { Server as NetServer } from "node:net";
import { type Background, type Service } from "@afterword/reference-server/internal";
import { type Load } from "../health/load.ts";
import { type Listening } from "./listen.ts";

/** Maximum time for requests in flight. */
const patienceInMs = 8000;
/** Maximum time for everything; with what the caller closes, the server stops within ten seconds. */
const deadlineInMs = 9500;
/** A client that sends one request after another is never silent this long. */
const silentForInMs = 200;
const closeIdleEveryInMs = 50;

/** Stops accepting connections. Node's own `close` would also cut idle ones and reset requests that are on their way. */
function closed({ server }: Listening): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

async function answerWhatIsInFlight(listening: Listening): Promise<void> {
  const ended = closed(listening);
  // After the event loop has read pending data, which may be a request.
  const closeIdle = () => setImmediate(() => listening.connections.closeIdle(silentForInMs));
  closeIdle();
  const sweep = setInterval(closeIdle, closeIdleEveryInMs);
  const cut = setTimeout(() => listening.server.closeAllConnections(), patienceInMs);
  await ended;
  clearInterval(sweep);
  clearTimeout(cut);
  // Already closed; this ends Node's connection checks.
  listening.server.close();
}

export interface Stopping {
  listening: Listening;
  background: Background;
  service: Service;
  load: Load;
  /** How long the server keeps accepting connections while not ready, so that load balancers notice. */
  drainDelayInMs: number;
}

/**
 * Graceful shutdown. During the drain delay the server reports not ready, replies with `Connection: close` and accepts
 * connections. Then it accepts no more, closes silent connections, cuts the others after 8 seconds, ends background work
 * after its transaction, and closes the database. After 9.5 seconds it no longer waits for the database.
 */
export async function stopServer(stopping: Stopping): Promise<void> {
  const { listening, background, service, load, drainDelayInMs } = stopping;
  load.drain();
  listening.connections.closeAfterReplies();
  if (drainDelayInMs > 0) await new Promise((resolve) => setTimeout(resolve, drainDelayInMs));
  const end = async () => {
    await answerWhatIsInFlight(listening);
    await background.stop();
    await service.store.close();
  };
  const { promise: tooLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, deadlineInMs);
  await Promise.race([end(), tooLate]).finally(() => clearTimeout(timer));
}
