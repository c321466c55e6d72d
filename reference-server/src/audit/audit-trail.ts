import type { AuditActor, AuditEvent, AuditIntent, AuditResults, ServerEvents } from "../events.ts";
import { type AuditChain } from "./audit-chain.ts";
import { AuditUnavailable } from "./audit-unavailable.ts";

/** Keeps audit lines. */
export interface AuditTrail {
  /**
   * Resolves when the line is kept: on disk, or taken by the reader of standard error.
   * @throws AuditUnavailable when it cannot be written
   */
  append(event: AuditEvent): Promise<void>;
  /** Chains the lines once it has a key. Default: they are not chained. */
  readonly chain?: AuditChain;
  /** Rejects when a line could not be written, as far as that is known without one. Default: not looked at. */
  probe?(): Promise<void>;
  /** Why lines cannot be written now; `/readyz` then says that they cannot. */
  readonly problem?: string;
}

/** The fields of an audit line beside its time, as docs/operate/audit.md documents them for collectors. */
export function auditFields(event: AuditEvent): Record<string, unknown> {
  const { kind: _, action: what, act, host, projectId: project, outcome, ...rest } = event;
  // A command is run by an account, a request made with a key.
  const { who, ...details } =
    "command" in rest
      ? (({ operator, ...of }) => ({ who: operator, ...of }))(rest)
      : (({ keyId, ...of }) => ({ who: keyId, ...of }))(rest);
  const about = project === undefined ? {} : { project };
  return { event: "audit", what, who, host, ...about, outcome, act, details };
}

/** Lines go to the trail, if there is one, and then to the listeners. */
export function trailWithEvents(events: ServerEvents, trail?: AuditTrail): AuditTrail {
  return {
    async append(event) {
      await trail?.append(event);
      events.emit(event);
    },
    get problem() {
      return trail?.problem;
    },
  };
}

/** Writes the audit lines of one request, or of one run of a command (decision O80). */
export class Audit {
  readonly #trail: AuditTrail;
  readonly #actor: AuditActor;

  constructor(trail: AuditTrail, actor: AuditActor) {
    this.#trail = trail;
    this.#actor = actor;
  }

  /** One line, `done`, about data that was read: await it before anything is given out. */
  async reading(intent: AuditIntent): Promise<void> {
    try {
      await this.#append(intent, "done");
    } catch (error) {
      this.#denies(intent);
      throw error;
    }
  }

  /**
   * Runs an act between two lines: `started` is kept before it begins, so that no process ends with an act and no trace;
   * `done` or `failed` follows it, with what is known of its results. Await it before the result is given out.
   * @throws AuditUnavailable when a line cannot be written; without `started` nothing happens
   */
  async change<T>(
    intent: AuditIntent,
    act: (addResults: (results: AuditResults) => void) => Promise<T>,
  ): Promise<T> {
    let known = intent;
    let result: T;
    let isStarted = false;
    try {
      await this.#append(known, "started");
      isStarted = true;
      result = await act((results) => (known = { ...known, ...results } as AuditIntent));
    } catch (error) {
      if (isStarted) {
        // The error of the act says more than a second one.
        await this.#append(known, "failed").catch(() => undefined);
        throw error;
      }
      this.#denies(known);
      if (!(error instanceof AuditUnavailable)) throw error;
      throw new AuditUnavailable(`${error.message} Nothing was changed.`, { cause: error });
    }
    await this.#append(known, "done").catch((error: Error) => {
      throw new AuditUnavailable(`${error.message} The act itself is done.`, { cause: error });
    });
    return result;
  }

  /** A line that could not be written may be kept yet, by a reader that goes on after all. Does not wait for it again. */
  #denies(intent: AuditIntent): void {
    this.#append(intent, "failed").catch(() => undefined);
  }

  #append(intent: AuditIntent, outcome: AuditEvent["outcome"]): Promise<void> {
    return this.#trail.append({ kind: "audit", ...this.#actor, ...intent, outcome });
  }
}
