export { isMisspelt, isSecret, knownOptions, readBooleans } from "./known-options.ts";
export type * from "./options.ts";
