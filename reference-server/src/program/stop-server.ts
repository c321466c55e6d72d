import { Server as NetServer } from "node:net";
import { type Service } from "../domain/service.ts";
import { type Load } from "../limits/load.ts";
import { type Background } from "./background.ts";
import { type Listening } from "./listen.ts";

/** How long requests in flight may take. */
const patienceInMs = 8000;
/** How long everything may take. With the rest that the caller closes, the server is gone within ten seconds. */
const deadlineInMs = 9500;
/** A client that sends one request after another is not silent for so long. */
const silentForInMs = 200;
const closeIdleEachMs = 50;

/** Takes no new connections. Node's own `close` would cut idle ones at once, and reset requests on their way to them. */
function closed({ server }: Listening): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

async function answerWhatIsInFlight(listening: Listening): Promise<void> {
  const ended = closed(listening);
  // After the event loop has read what has arrived: it may be a request.
  const closeIdle = () => setImmediate(() => listening.connections.closeIdle(silentForInMs));
  closeIdle();
  const sweep = setInterval(closeIdle, closeIdleEachMs);
  const cut = setTimeout(() => listening.server.closeAllConnections(), patienceInMs);
  await ended;
  clearInterval(sweep);
  clearTimeout(cut);
  // It listens no more; this ends Node's checks of its connections.
  listening.server.close();
}

/** Resolves when the work is done or the time is over, whichever comes first. */
async function within(limitInMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitInMs)));
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

export interface Stopping {
  listening: Listening;
  background: Background;
  service: Service;
  load: Load;
  /** How long the server goes on as before, but not ready, so that load balancers find out. */
  drainDelayInMs: number;
}

/**
 * Says that it is not ready, answers with `Connection: close`, and takes connections for the drain delay. Then it takes no
 * more, closes silent connections, cuts what is left after 8 seconds, ends the work in the background after its
 * transaction, and closes the database. What the database has not ended 9.5 seconds after the delay is left alone: it ends
 * by itself, or with the process.
 */
export async function stopServer(stopping: Stopping): Promise<void> {
  const { listening, background, service, load, drainDelayInMs } = stopping;
  load.drain();
  listening.connections.giveLastReplies();
  if (drainDelayInMs > 0) await new Promise((resolve) => setTimeout(resolve, drainDelayInMs));
  const end = async () => {
    await answerWhatIsInFlight(listening);
    await background.stop();
    await service.store.close();
  };
  await within(deadlineInMs, end());
}
