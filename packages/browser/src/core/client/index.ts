export { clientOfPage, commandsOf, type Call, type PageClient } from "./client-of-page.ts";
export type { Loaders } from "./client.ts";
