export { openStore } from "./postgres/open-store.ts";
export { startServer } from "./program/start-server.ts";
