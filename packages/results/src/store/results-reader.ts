// What the results of surveys are read from: answers, counts of runs, and the latest texts. Times are milliseconds since 1970.

import { dayInMs } from "@afterword/protocol/duration";
import { type RunCountKind, type StoredResponse } from "@afterword/reference-server/internal";
import { type MeasuredAnswer, type MeasuredSelection } from "./measured-answers.ts";

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

/** What an answer can be grouped by, beside its time. */
export type Dimension =
  | "taskType"
  | "surveyVersion"
  | "identityKind"
  /** The version of the agent and the stratum, both of the run. */
  | "version"
  | "stratum"
  /** The value of a fact of the run, as JSON. */
  | { fact: string };

export type Key = string | number | null;

/** An answer as results read it: after these four, a value for each dimension. */
export type AnswerRow = [person: string | null, mark: number, at: number, surveyId: string, ...Key[]];

/** A mark is a rating, to which these are added: for an imported answer, and for a measured one to a minted token, whose run is known. */
export const importedMark = 16;
export const runMark = 32;

/** 1970-01-05, with which the first week begins. */
export const firstMonday = 4 * dayInMs;
export const weekInMs = 7 * dayInMs;

export interface DismissalTally {
  surveyId: string;
  /** When the quarter of an hour began: local days and weeks begin with one. */
  at: number;
  count: number;
}

export interface RunCountTally {
  surveyId: string;
  version: string | null;
  stratum: string | null;
  kind: RunCountKind;
  /** Why a run was gated, or `ofPage`; null for all others. */
  reason: string | null;
  count: number;
}

export interface CommentSelection extends ResultsSelection {
  /** The most comments of each survey. */
  limit: number;
}

type CommentColumn = "surveyId" | "at" | "source" | "taskType" | "sessionId" | "observationId";

export interface Comment extends Pick<StoredResponse, CommentColumn> {
  rating: number;
  text: string;
  /** The agent's version. */
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

/** Reads one consistent state. */
export interface ResultsReader {
  /** @param since the first hour of the deliveries */
  queue(projectId: string, since: number): Promise<QueueReport>;
  /** All answers of a selection, in parts and in no order. */
  answers(selection: ResultsSelection, dimensions: readonly Dimension[]): AsyncIterable<readonly AnswerRow[]>;
  /** The names of facts in the latest answers, in alphabetical order. */
  factNames(selection: ResultsSelection): Promise<string[]>;
  dismissals(selection: ResultsSelection): Promise<DismissalTally[]>;
  /** Summed over the days, from the one of `since` to the last that begins before `until`. */
  runCounts(selection: ResultsSelection): Promise<RunCountTally[]>;
  /** The latest responses with a text, lowest rating first. */
  comments(selection: CommentSelection): Promise<Comment[]>;
}

/** A database that results are read from. */
export interface ResultsStore {
  /** Calls `read` with a reader of one snapshot, which ends with it. */
  readResults<T>(read: (reader: ResultsReader) => Promise<T>): Promise<T>;
  /** Measured answers of a survey in the order of their times, without holding a state or keeping requests waiting. */
  measuredAnswers(selection: MeasuredSelection): AsyncIterable<MeasuredAnswer>;
}
