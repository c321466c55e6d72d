import { createServer, type RequestListener } from "node:http";
import { startListening } from "./start-listening.ts";

/** Plays a server on a free port of this machine. */
export async function serveLocally(answer: RequestListener) {
  const flags = { host: "--host", port: "--port" };
  const { url, close } = await startListening(createServer(answer), { host: "127.0.0.1", port: 0, flags });
  return { url, close, [Symbol.asyncDispose]: close };
}
