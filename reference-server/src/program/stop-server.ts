import { type Server } from "node:http";
import { type Background } from "./background.ts";
import { type Service } from "../domain/service.ts";
import { type Load } from "../limits/load.ts";

/** How long requests in flight may take. */
const patienceInMs = 8000;
/** How long everything may take. With the rest that the caller closes, the server is gone within ten seconds. */
const deadlineInMs = 9500;
const closeIdleEachMs = 50;

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answerWhatIsInFlight(server: Server): Promise<void> {
  const ended = closed(server);
  server.closeIdleConnections();
  // A connection becomes idle when its last answer is out, and nothing else would close it then.
  const sweep = setInterval(() => server.closeIdleConnections(), closeIdleEachMs);
  const cut = setTimeout(() => server.closeAllConnections(), patienceInMs);
  await ended;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Resolves when the work is done or the time is over, whichever comes first. */
async function within(limitInMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitInMs)));
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

/**
 * Takes no new connections, answers requests in flight, refuses new ones on open connections with 503, cuts what is
 * left after 8 seconds, ends the work in the background after its transaction, and closes the database. What the
 * database has not ended 9.5 seconds after the beginning is left alone: it ends by itself, or with the process.
 */
export async function stopServer(
  server: Server,
  background: Background,
  service: Service,
  load: Load,
): Promise<void> {
  load.drain();
  const end = async () => {
    await answerWhatIsInFlight(server);
    await background.stop();
    await service.store.close();
  };
  await within(deadlineInMs, end());
}
