import { type ProblemCode } from "@afterword/protocol";
import { type DirectoryChange } from "../domain/project-directory.ts";
import { type ShedReason } from "../limits/overloaded.ts";

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
  /** The page's origin as the browser sent it, at most 256 characters; only where it was refused. */
  origin?: string;
  /** What it added; absent when that was nothing. */
  stored?: StoredKind;
  /** What is wrong with a request that could not reach the application; absent otherwise. */
  rejection?: string;
  /** Why it was refused before it was handled; absent when it was not. */
  shed?: ShedReason;
}

export type StoredKind = "rating" | "dismissal";

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

/** A request came with a secret key. */
interface RequestActor {
  requestId: string;
  keyId: string;
}

/** A command was run. */
interface CommandActor {
  /** As it is typed, for example `project purge`. */
  command: string;
  /** Name of the account on the machine. */
  operator: string;
  /** Name of the machine. */
  host: string;
}

/** An administrative act, or an access to people's data. Tells who and how much, never what (kept for a year or as law asks). */
export type AuditEvent = (
  (AuditEntry & (RequestActor | CommandActor)) | (AdministrationEntry & CommandActor)
) & {
  kind: "audit";
  /** Absent when all projects were meant. */
  projectId?: string;
};

/** What a handler knows of it. */
export interface AuditEntry {
  action: "export" | "erase" | "subject-report" | "retention" | "backup" | "restore";
  /** Keyed hashes of the respondents that were named; an empty list means that none was. */
  respondents: string[];
  surveySlug?: string;
  /** Whether the whole project was meant. */
  isWholeProject: boolean;
  /** What the action came to, for example `responsesDeleted`. */
  counts: Readonly<Record<string, number>>;
}

/** What a command changed. Holds no key and no question. */
export type AdministrationEntry =
  | { action: "project-create" | "project-update"; changed: Readonly<Record<string, unknown>> }
  | { action: "key-create"; keyId: string; keyKind: string; expiresAt?: string }
  | { action: "key-revoke"; keyId: string; keyKind: string }
  | {
      action: "survey-import" | "survey-status";
      surveys: readonly { id: string; version: number; status: string; change?: string }[];
    };

/** Keys or origins of a project are different from what this server used until now. */
export interface DirectoryChangeEvent extends DirectoryChange {
  kind: "directory-change";
}

/** A secret key came to a public route, so its sender has it: revoke it (decision D32). */
export interface ExposedKeyEvent {
  kind: "secret-key-exposed";
  requestId: string;
  projectId: string;
  keyId: string;
}

/** A key was used since the last time this was told, at most once a minute. */
export interface KeyUseEvent {
  kind: "key-use";
  keyId: string;
  /** RFC 3339. */
  lastUsedAt: string;
}

/** Repeated work that changed something was done. */
export interface TaskEvent {
  kind: "task";
  task: string;
  counts: Readonly<Record<string, number>>;
}

export type ServerEvent =
  | RequestEvent
  | FailureEvent
  | BackgroundFailureEvent
  | WarningEvent
  | AuditEvent
  | ExposedKeyEvent
  | DirectoryChangeEvent
  | KeyUseEvent
  | TaskEvent;

/** Where events go: the log and the metrics. What a listener throws is no request's error: it is a warning of the process, once. */
export interface ServerEvents {
  emit(event: ServerEvent): void;
}

/** Tells every listener, whatever another does. */
export function allOf(listeners: readonly ServerEvents[]): ServerEvents {
  let isTold = false;
  const tell = (error: unknown) => {
    if (isTold) return;
    isTold = true;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`A listener of events has failed: ${message}`, "AfterwordWarning");
  };
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener.emit(event);
        } catch (error) {
          tell(error);
        }
      }
    },
  };
}

/** For when nobody listens. */
export const noEvents: ServerEvents = { emit: () => undefined };
