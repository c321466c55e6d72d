export { createParts } from "./create-parts.ts";
export type { AskingParts, DebugModule, EntryPointSettings } from "./parts.ts";
