export { isMisspelt, isSecret, knownOptions, readBooleans } from "./known-options.ts";
export type {
  AfterwordOptions,
  AskOptions,
  ConsentMode,
  InstalledToken,
  RatedRun,
  RateOptions,
  RunWithTokens,
} from "./options.ts";
