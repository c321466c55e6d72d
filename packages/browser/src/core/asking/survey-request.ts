import type { SurveyDefinition } from "@afterword/protocol";
import type { Candidate } from "./open-surveys.ts";
import type { AskOptions, InstalledToken } from "../options/index.ts";

/** A survey that the host page requested; without a slug, any that asks by itself. */
export interface SurveyRequest extends Pick<Candidate, "slot" | "isByPerson" | "mayTakeFocus"> {
  slug?: string;
  /** Its run, with a token of its own. */
  run?: InstalledToken;
  /** Of its run, for several surveys. */
  tokens?: AskOptions["tokens"];
  /** Whether a run has ended of which the page may expect a survey. */
  isAfterRun?: boolean;
  /** Whether the page knows why it does not show while the service does not answer. */
  isRefused?: boolean;
}

/** Reports why a requested survey is not shown. */
export type Refuse = (
  reason: Parameters<Candidate["refuse"]>[0],
  request: SurveyRequest,
  survey?: SurveyDefinition,
) => void;
