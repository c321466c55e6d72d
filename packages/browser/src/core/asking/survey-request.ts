import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import type { NotShownReason } from "../events/index.ts";
import type { Respondent } from "../identity/index.ts";
import type { AskOptions, InstalledToken } from "../options/index.ts";

/** A survey that the page wants; without a slug, any that asks by itself. */
export interface SurveyRequest {
  slug?: string;
  slot?: HTMLElement;
  isByPerson?: boolean;
  /** Whether the person opened it and has done nothing else since. */
  mayTakeFocus(): boolean;
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
export type Refuse = (reason: NotShownReason, request: SurveyRequest, survey?: SurveyDefinition) => void;

/** A survey that may be shown to a person, as far as the core knows. */
export interface Candidate extends SurveyRequest {
  survey: SurveyDefinition;
  respondent: Respondent;
  /** Absent in a preview. */
  definitions?: BootstrapReply;
  /** Preview or test mode: nothing is sent or stored. */
  isPractice: boolean;
  /** The session-bound token for an answer given now. */
  tokenNow(): InstalledToken | undefined;
  /** Returns why it must not be shown now, after the delay. */
  whyNot(): NotShownReason | undefined;
  /** Returns why its targeting excludes the person; loads the code for that only if there is targeting. */
  checkTargeting(): Promise<NotShownReason | "" | undefined>;
  refuse(reason: NotShownReason): void;
}
