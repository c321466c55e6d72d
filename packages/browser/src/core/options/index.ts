export { isMisspelt, isNear, isSecret, knownOptions } from "./known-options.ts";
export type {
  AfterwordOptions,
  AskOptions,
  ConsentMode,
  InstalledToken,
  RatedRun,
  RateOptions,
  RunWithTokens,
} from "./options.ts";
