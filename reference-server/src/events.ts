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
  /** The scope that its key was used for; absent when the request was refused before that. */
  use?: Scope | "page";
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

/** What a server tells its listeners. */
export type ServerEvent =
  | RequestEvent
  /** The server failed on a request. */
  | { kind: "failure"; requestId: string; error: unknown }
  /** Background work failed and will be retried. */
  | { kind: "background-failure"; task: string; error: unknown }
  /** A warning for operators, sent once. */
  | { kind: "warning"; message: string }
  /** A secret key was sent to a public route, so it has leaked: revoke it. */
  | { kind: "secret-key-exposed"; requestId: string; projectId: string; keyId: string }
  /** The server has picked up what a command changed: projects, keys or surveys. */
  | { kind: "directory-change" }
  /** The server uses another master key from now on. */
  | { kind: "master-key-change"; masterKeyId: string };

/** A listener, such as the log or the metrics. Its errors never fail a request; the first one is a process warning. */
export interface ServerEvents<Event = ServerEvent> {
  emit(event: Event): void;
}

/** Sends events to all listeners, even if one of them throws. */
export function allOf<Event = ServerEvent>(
  ...listeners: readonly (ServerEvents<Event> | undefined)[]
): ServerEvents<Event> {
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
