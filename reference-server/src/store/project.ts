import { type Scope, type SurveyDefinition, type TargetingRule } from "@afterword/protocol";

/** A key or a survey that a config file lists follows the config file. */
export type ManagedBy = "config" | "command";

/** When tokens are withheld; every rule is off where its value is absent. */
export interface GatingRules {
  /** After any answer or dismissal no new tokens for this long. */
  quietPeriodInMs?: number;
  /** Answers and dismissals of one respondent within 30 days. */
  monthlyCap?: number;
  /** Responses of one survey in total; a survey's own `maximum` goes before it. */
  surveyMaximum?: number;
}

/** A project as it is stored, without its keys and surveys. */
export interface ProjectRecord {
  id: string;
  name: string;
  /** `https://app.example`, `https://*.example`, `*` or `null`. */
  allowedOrigins: string[];
  gating: GatingRules;
  /** Part of every token; an account purge raises it, so that older tokens are refused. */
  epoch: number;
  /** The project's pepper and cursor key, sealed by the master key; an account purge replaces the pepper. */
  secrets: string;
  createdAt: number;
}

/** When a key was last used for each scope; `page` for public routes. */
export type KeyUses = Readonly<Partial<Record<Scope | "page", number>>>;

export interface KeyRecord {
  id: string;
  projectId: string;
  kind: "publishable" | "secret";
  /** The scopes that a secret key is limited to. Absent: all. */
  scopes?: readonly Scope[];
  /** SHA-256 of the key in hex. */
  digest: string;
  /** The key itself, of publishable keys alone. */
  publishableKey?: string;
  /** First six and last four characters, by which people distinguish keys. */
  display: string;
  managedBy: ManagedBy;
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
  uses?: KeyUses;
}

export type SurveyStatus = "active" | "paused" | "draft";

/** When a survey may be asked again of a person who has answered or dismissed it. */
export type AskAgain =
  /** Once both times have passed, each since the last record of its kind. */
  | { afterInMs: number; afterDismissalInMs: number }
  /** Once in each run of an agent, but not soon after a dismissal. */
  | { eachRun: true; afterDismissalInMs: number };

/** A survey that samples asks about a run with a probability of 0 to 1, and by minted tokens alone. */
export interface Sampling {
  /** The probability for runs that no stratum matches. */
  probability: number;
  /** The first one whose rules all match the run's facts decides; at most 20. */
  strata?: readonly { name: string; when: readonly TargetingRule[]; probability: number }[];
}

export interface SurveyRecord {
  projectId: string;
  id: string;
  slug: string;
  /** Raised by the server at each change of the definition. */
  version: number;
  definition: SurveyDefinition;
  status: SurveyStatus;
  /** Responses in total, after which no more tokens are issued; goes before the project's `surveyMaximum`. */
  maximum?: number;
  /** Absent: never again. */
  askAgain?: AskAgain;
  /** The person takes the initiative: quiet period and monthly cap have nothing to do with it. */
  unprompted?: boolean;
  /** Limits the runs that it asks about. Absent: all. */
  sampling?: Sampling;
  managedBy: ManagedBy;
  /** A deleted survey refuses its tokens with 404; its rows stay exportable by slug. */
  deletedAt?: number;
}

/** A project with everything that answering a request needs. */
export interface StoredProject extends ProjectRecord {
  keys: KeyRecord[];
  surveys: SurveyRecord[];
}

/** A master key that the database has been used with. */
export interface MasterKeyRecord {
  /** Identifies a master key and reveals nothing else about them. */
  id: string;
  /** When it took over. */
  since: number;
  /** Until when it opens show-tokens, once another key has taken over. */
  validUntil?: number;
  /** The key itself in hex, where the database keeps it because none is given. */
  key?: string;
}

/** Rows to create or replace: projects and keys by id, surveys by project and id. */
export interface DirectoryChange {
  /** All master keys that there have been, the current one first. */
  masterKeys?: readonly MasterKeyRecord[];
  projects?: ProjectRecord[];
  keys?: KeyRecord[];
  surveys?: SurveyRecord[];
}
