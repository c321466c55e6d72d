export { startServer } from "./program/start-server.ts";
