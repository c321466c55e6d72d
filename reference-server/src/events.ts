import { type ProblemCode, type Scope } from "@afterword/protocol";

/** A request was answered. Contains no text of a person, no key and no token. */
export interface RequestEvent {
  kind: "request";
  requestId: string;
  method: string;
  /** The path in the table of endpoints; absent for unknown paths. */
  route?: string;
  status: number;
  code?: ProblemCode;
  durationInMs: number;
  projectId?: string;
  keyId?: string;
  /** The refused origin, at most 256 characters; absent when it was not refused. */
  origin?: string;
  /** The record that it stored, if any. */
  stored?: StoredKind;
  /** Why a malformed request could not reach the application; absent otherwise. */
  rejection?: string;
  /** Why load shedding refused it; absent otherwise. */
  shed?: ShedReason;
}

/**
 * Why a request was shed. `requests` and `body-bytes`: too much is in flight. `unfinished`: this client has too many
 * requests with incomplete bodies.
 */
export type ShedReason = "requests" | "body-bytes" | "unfinished";

export type StoredKind = "rating" | "dismissal";

/** A request with a secret key. */
interface RequestActor {
  requestId: string;
  keyId: string;
}

/** A command, or work that the server does by itself. */
interface CommandActor {
  /** As typed, for example `project purge`. */
  command: string;
  /** Name of the account on the machine, or what made the server act. */
  operator: string;
}

/** The person or program that acts. */
export type AuditActor = (RequestActor | CommandActor) & {
  /** The same in all lines of one request or one run of a command. */
  act: string;
  /** Name of the machine. */
  host: string;
};

/** An administrative act, or an access to people's data: who and how much, never the content. */
export type AuditEvent = AuditIntent &
  AuditActor & {
    kind: "audit";
    /** `failed` when the act ended early, and may have had a part of its effect. */
    outcome: "started" | "done" | "failed";
  };

/** An act, as far as it is known. */
export type AuditIntent = (DataEntry | AdministrationEntry) & {
  /** Absent if it is about all projects. */
  projectId?: string;
};

/** An access to what people answered. */
interface DataEntry {
  action:
    "export" | "erase" | "subject-report" | "read-texts" | "import" | "retention" | "backup" | "restore";
  /** Keyed hashes of the selected respondents; empty if none was selected. */
  respondents: readonly string[];
  surveySlug?: string;
  /** Whether it was about the whole project. */
  isWholeProject: boolean;
  /** Whether `retention --clock-is-right` trusted a clock that was not. */
  hasAcceptedClock?: boolean;
  /** Results of the action, for example `responsesDeleted`. */
  counts: Readonly<Record<string, number>>;
}

/** A change by a command. Contains no key and no question. */
type AdministrationEntry =
  | { action: "project-create"; changed: Readonly<Record<string, unknown>> }
  | { action: "key-create"; keyId?: string; keyKind: string; scopes?: readonly Scope[]; expiresAt?: string }
  | { action: "key-revoke"; keyId: string; keyKind: string }
  | { action: "master-key-rotate" | "master-key-end-overlap"; masterKeys?: AuditedMasterKeys }
  | {
      action: "config";
      /** Projects, keys and surveys that a config file creates, changes, revokes or deletes: of `serve` or of `apply`. */
      changed: Readonly<Record<"projects" | "keys" | "surveys", readonly string[]>>;
    }
  /** Audit lines can be written again, after some that could not. In RFC 3339. */
  | { action: "audit-resumed"; failingSince: string };

/** The results of an act, which are known at its end. */
export interface AuditResults {
  counts?: DataEntry["counts"];
  changed?: Readonly<Record<string, unknown>>;
  keyId?: string;
  masterKeys?: AuditedMasterKeys;
}

type AuditedMasterKeys = readonly { id: string; validUntil?: string }[];

export type ServerEvent =
  | RequestEvent
  | AuditEvent
  /** The server failed on a request. */
  | { kind: "failure"; requestId: string; error: unknown }
  /** Background work failed and will be retried. */
  | { kind: "background-failure"; task: string; error: unknown }
  /** A warning for operators, sent once. */
  | { kind: "warning"; message: string }
  /** A secret key was sent to a public route, so it has leaked: revoke it. */
  | { kind: "secret-key-exposed"; requestId: string; projectId: string; keyId: string }
  /** The server has picked up what a command changed: projects, keys or surveys. Audit lines say what. */
  | { kind: "directory-change" }
  /** The server uses another master key from now on. */
  | { kind: "master-key-change"; masterKeyId: string }
  /** A key was used; sent at most once a minute per key. `lastUsedAt` is in RFC 3339. */
  | { kind: "key-use"; keyId: string; lastUsedAt: string }
  /** A recurring task changed data. */
  | { kind: "task"; task: string; counts: Readonly<Record<string, number>> };

/** A listener, such as the log or the metrics. Its errors never fail a request; the first one is a process warning. */
export interface ServerEvents {
  emit(event: ServerEvent): void;
}

/** Sends events to all listeners, even if one of them throws. */
export function allOf(...listeners: readonly (ServerEvents | undefined)[]): ServerEvents {
  let isReported = false;
  const report = (error: unknown) => {
    if (isReported) return;
    isReported = true;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`An event listener failed: ${message}`, "AfterwordWarning");
  };
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener?.emit(event);
        } catch (error) {
          report(error);
        }
      }
    },
  };
}
