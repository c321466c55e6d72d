export type { Afterword } from "./afterword.ts";
export { Client } from "./client.ts";
export { commandsOf, guardCommands, type Call } from "./commands.ts";
export type { Loaders } from "./loaders.ts";
