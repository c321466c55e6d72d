import { type Server } from "node:http";
import { type Background } from "./background.ts";
import { type Service } from "./domain/service.ts";
import { type LoadGuard } from "./load-guard.ts";

/** With what follows, the server is gone within ten seconds. */
const patienceInMs = 8000;
const closeIdleEachMs = 50;

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Takes no new connections, answers requests in flight, refuses new ones on open connections with 503, cuts what is
 * left after 8 seconds, and closes the database.
 */
export async function stopServer(
  server: Server,
  background: Background,
  service: Service,
  load: LoadGuard,
): Promise<void> {
  load.drain();
  const ended = closed(server);
  server.closeIdleConnections();
  // A connection becomes idle when its last answer is out, and nothing else would close it then.
  const sweep = setInterval(() => server.closeIdleConnections(), closeIdleEachMs);
  const cut = setTimeout(() => server.closeAllConnections(), patienceInMs);
  await ended;
  clearInterval(sweep);
  clearTimeout(cut);
  await background.stop();
  await service.store.close();
}
