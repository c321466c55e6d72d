// What the results of surveys are read from: counts of ratings, and the latest texts. Times are milliseconds since 1970.

import { type LinearisedSums, type Linearisation } from "../statistics/poststratification.ts";
import { type PersonSums, type SharedSums } from "../statistics/sample.ts";
import { type StoredResponse } from "./records.ts";

export interface ResultsSelection {
  projectId: string;
  /** Absent: all surveys. */
  surveyIds?: readonly string[];
  /** The first moment that counts. */
  since?: number;
  /** The first moment that counts no more. */
  until?: number;
  /** Without imported responses. */
  measuredOnly?: boolean;
}

/** What answers are grouped by; a week is the number of Mondays since 1970. */
export type TallyKey =
  | "none"
  | "taskType"
  | "week"
  | "surveyVersion"
  | "identityKind"
  | "version"
  | "stratum"
  /** By the value of a fact of the run, as JSON. */
  | { fact: string };

/** Two groups to compare, with the keys 0 and 1: before and from a moment on, or two task types. */
export type Sides = { from: string; to: string } | { since: number };

/** 1970-01-05, with which the first week begins. */
export const firstMonday = 4 * 24 * 3_600_000;
export const weekInMs = 7 * 24 * 3_600_000;

/** What each rating from 0 to 10 contributes to the score, by the id of the survey. */
export type RatingValues = ReadonlyMap<string, readonly number[]>;

/** A class of runs: of one version of the agent, and of one stratum of the survey's sampling. */
export interface RunClass {
  surveyId: string;
  version: string | null;
  stratum: string | null;
}

/** Measured answers to minted tokens, whose runs are known. */
export interface ClassTally extends RunClass {
  /** How many gave each rating; the index is the rating. */
  counts: readonly number[];
}

/** What such an answer of a class adds to the sum of its person: factor * (value - mean). */
export interface ClassResidual extends Omit<RunClass, "version">, Linearisation {
  /** Absent: of all versions that no other one names. */
  version?: string | null;
}

/** The answers of one survey and group. */
export interface Tally {
  surveyId: string;
  /** Null without one: grouped by `none`, or responses that have no task type or kind of identity. */
  key: string | number | null;
  /** How many gave each rating; the index is the rating. */
  counts: readonly number[];
  imported: number;
  /** Answers without a known person: each is of a person of its own. */
  withoutPerson: number;
  people: PersonSums;
  /** Of the answers that have residuals; no people if none has. */
  linearised: LinearisedSums;
  /** When the first and the last of them was given; null in groups other than versions. */
  firstAt: number | null;
  lastAt: number | null;
}

/** Sums over the people who answered on both sides. */
export interface SharedTally extends SharedSums {
  surveyId: string;
}

/** People who answered both for a version and for the baseline. */
export interface BaselineTally {
  surveyId: string;
  version: string;
  people: number;
  /** Of the sums of each person's residuals for either version, added up. */
  products: number;
}

export interface HourTally {
  surveyId: string;
  /** 0 is Monday at 00:00 UTC. */
  hour: number;
  count: number;
}

export interface DismissalTally {
  surveyId: string;
  week: number;
  count: number;
}

/**
 * What is counted of a run, or of a token that no run is known of. `run`: reported by a mint, and then one of the next three.
 * `notSampled`: left out by sampling. `gated`: not asked about for another reason. `asked`: a token was issued.
 */
export type RunCountKind = "run" | "notSampled" | "gated" | "asked" | "shown" | "answered" | "dismissed";

/** Counts to be added; a text that is empty stands for none. */
export interface RunCount {
  projectId: string;
  surveyId: string;
  /** The moment at which a day begins, in UTC. */
  day: number;
  /** Of the agent, as the mint reported it. */
  version: string;
  stratum: string;
  kind: RunCountKind;
  reason: string;
  count: number;
}

export interface RunCountTally {
  surveyId: string;
  version: string | null;
  stratum: string | null;
  kind: RunCountKind;
  /** Why a run was gated; null for all other kinds. */
  reason: string | null;
  count: number;
}

export interface CommentSelection extends ResultsSelection {
  /** Of each survey. */
  limit: number;
}

type CommentColumn = "surveyId" | "at" | "source" | "taskType" | "sessionId" | "observationId";

export interface Comment extends Pick<StoredResponse, CommentColumn> {
  rating: number;
  text: string;
  /** Of the agent. */
  version: string | null;
}

/** How the queue of a project stands. */
export interface QueueReport {
  /** Scores that wait for the forwarder; this and `failed` are counted up to 100,000. */
  waiting: number;
  /** When the oldest of them was answered. */
  oldestAt?: number;
  /** Scores that their sink refused for good. */
  failed: number;
  /** The most frequent reasons, most frequent first; null for scores without one. */
  failures: { reason: string | null; count: number }[];
  /** Hours in which scores were delivered, oldest first; an hour is the moment it begins. */
  deliveries: { hour: number; delivered: number }[];
}

export const hourInMs = 3_600_000;

/** The moment at which the hour begins, in milliseconds since 1970. */
export const hourOf = (at: number): number => at - (at % hourInMs);

export const dayInMs = 24 * hourInMs;

/** The moment at which the day begins in UTC, in milliseconds since 1970. */
export const dayOf = (at: number): number => at - (at % dayInMs);

/** Reads one consistent state. */
export interface ResultsReader {
  /** @param since the first hour of the deliveries */
  queue(projectId: string, since: number): Promise<QueueReport>;
  /** @param residuals default none: then nothing is linearised */
  tally(
    selection: ResultsSelection,
    by: TallyKey | Sides,
    values: RatingValues,
    residuals?: readonly ClassResidual[],
  ): Promise<Tally[]>;
  classes(selection: ResultsSelection): Promise<ClassTally[]>;
  /** @param residuals of each version */
  sharedWithBaseline(
    selection: ResultsSelection,
    baseline: string,
    values: RatingValues,
    residuals: readonly ClassResidual[],
  ): Promise<BaselineTally[]>;
  /** The names of facts in the latest answers, in alphabetical order. */
  factNames(selection: ResultsSelection): Promise<string[]>;
  shared(selection: ResultsSelection, sides: Sides, values: RatingValues): Promise<SharedTally[]>;
  hours(selection: ResultsSelection): Promise<HourTally[]>;
  dismissals(selection: ResultsSelection): Promise<DismissalTally[]>;
  /** Summed over the days, from the one of `since` to the last that begins before `until`. */
  runCounts(selection: ResultsSelection): Promise<RunCountTally[]>;
  /** The latest responses with a text, lowest rating first. */
  comments(selection: CommentSelection): Promise<Comment[]>;
}
