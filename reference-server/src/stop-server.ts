import { type Server } from "node:http";
import { type Background } from "./background.ts";
import { type Service } from "./domain/service.ts";

const patienceInMs = 8000;

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Takes no new connections, lets requests in flight finish, cuts what has not after 8 seconds, closes the database. */
export async function stopServer(server: Server, background: Background, service: Service): Promise<void> {
  const ended = closed(server);
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), patienceInMs);
  await ended;
  clearTimeout(cut);
  await background.stop();
  await service.store.close();
}
