import { type ProblemCode } from "@afterword/protocol";

/** A request was answered. Holds nothing that a person wrote, no key and no token. */
export interface RequestEvent {
  kind: "request";
  requestId: string;
  method: string;
  /** The path as the table of endpoints has it; absent for unknown paths. */
  route?: string;
  status: number;
  code?: ProblemCode;
  durationInMs: number;
  projectId?: string;
  keyId?: string;
}

/** The server failed on a request; the only event with an error inside. */
export interface FailureEvent {
  kind: "failure";
  requestId: string;
  error: unknown;
}

/** Something that happens behind requests went wrong and is tried again. */
export interface BackgroundFailureEvent {
  kind: "background-failure";
  task: string;
  error: unknown;
}

/** Something an operator should know, once. */
export interface WarningEvent {
  kind: "warning";
  message: string;
}

export type ServerEvent = RequestEvent | FailureEvent | BackgroundFailureEvent | WarningEvent;

/** Where events go: the log and the metrics. */
export interface ServerEvents {
  emit(event: ServerEvent): void;
}

/** For when nobody listens. */
export const noEvents: ServerEvents = { emit: () => undefined };
