export type { Afterword } from "./afterword.ts";
export { clientOfPage, type PageClient } from "./client-of-page.ts";
export { commandsOf, type Call } from "./commands.ts";
export type { Loaders } from "./loaders.ts";
