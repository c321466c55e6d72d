// The types of the commands, events and options, and what checks them. `src/public-types.ts` lists what pages can import.
export type { Afterword, Respondent } from "./afterword.ts";
export { AfterwordError, createEmitter, requireText } from "./events.ts";
export type * from "./events.ts";
export { idAsText, isMisspelt, isSecret, knownOptions, readBooleans } from "./known-options.ts";
export type * from "./options.ts";
export type * from "./survey.ts";
