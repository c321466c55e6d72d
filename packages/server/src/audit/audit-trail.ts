import { type Scope } from "@afterword/protocol";
import { type ServerEvent as CoreEvent, type ServerEvents as CoreEvents } from "@afterword/reference-server";
import { type AuditChain } from "./audit-chain.ts";
import { type DirectoryChange, StoreUnavailable } from "@afterword/reference-server/internal";

/** An audit line cannot be written. Becomes 503, or exit code 4, as an unavailable database does. */
export class AuditUnavailable extends StoreUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.message = message;
    this.name = "AuditUnavailable";
  }
}

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

/** The events of an operated server: the core's events, audit lines, and what the server does by itself. */
export type ServerEvent =
  | CoreEvent
  | AuditEvent
  /** A key was used; sent at most once a minute per key. `lastUsedAt` is in RFC 3339. */
  | { kind: "key-use"; keyId: string; lastUsedAt: string }
  /** A recurring task changed data. */
  | { kind: "task"; task: string; counts: Readonly<Record<string, number>> };
/** A listener of an operated server. Its errors never fail a request. */
export type ServerEvents = CoreEvents<ServerEvent>;

/** Lists what changed for the audit. */
export const changedIds = ({ projects = [], keys = [], surveys = [] }: DirectoryChange) => ({
  projects: projects.map(({ id }) => id),
  keys: keys.map(({ id }) => id),
  surveys: surveys.map(({ projectId, id }) => `${projectId}/${id}`),
});

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
  const actor = "command" in rest ? "operator" : "keyId";
  const { [actor]: who, ...details }: Record<string, unknown> = rest;
  return {
    event: "audit",
    what,
    who,
    host,
    ...(project !== undefined && { project }),
    outcome,
    act,
    details,
  };
}

/** Lines go to the trail, if there is one, and then to the listeners. */
export function trailWithEvents(events: ServerEvents, trail?: AuditTrail): AuditTrail {
  return {
    async append(event) {
      await trail?.append(event);
      events.emit(event);
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
  reading(intent: AuditIntent): Promise<void> {
    return this.#first(intent, "done");
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
    await this.begin(known);
    let result: T;
    try {
      result = await act((results) => (known = { ...known, ...results } as AuditIntent));
    } catch (error) {
      await this.fail(known);
      throw error;
    }
    await this.complete(known);
    return result;
  }

  /** Changes the directory between two lines, which name what is and what was changed. */
  changeConfig(decided: DirectoryChange, write: () => Promise<DirectoryChange>): Promise<void> {
    return this.change({ action: "config", changed: changedIds(decided) }, async (addResults) =>
      addResults({ changed: changedIds(await write()) }),
    );
  }

  /** Keeps the line `started`. @throws AuditUnavailable: then nothing may be changed */
  async begin(intent: AuditIntent): Promise<void> {
    await this.#first(intent, "started").catch((error: unknown) => {
      if (!(error instanceof AuditUnavailable)) throw error;
      throw new AuditUnavailable(`${error.message} Nothing was changed.`, { cause: error });
    });
  }

  /** Keeps the line `failed`. Never rejects: the error of the act says more than a second one. */
  async fail(intent: AuditIntent): Promise<void> {
    await this.#append(intent, "failed").catch(() => undefined);
  }

  /** Keeps the line `done`. @throws AuditUnavailable */
  async complete(intent: AuditIntent): Promise<void> {
    await this.#append(intent, "done").catch((error: Error) => {
      throw new AuditUnavailable(`${error.message} The act itself is done.`, { cause: error });
    });
  }

  /**
   * Writes the first line. If that fails, also queues a `failed` line without waiting: a slow reader may still keep the
   * first one.
   */
  async #first(intent: AuditIntent, outcome: "started" | "done"): Promise<void> {
    await this.#append(intent, outcome).catch((error: unknown) => {
      void this.fail(intent);
      throw error;
    });
  }

  #append(intent: AuditIntent, outcome: AuditEvent["outcome"]): Promise<void> {
    return this.#trail.append({ kind: "audit", ...this.#actor, ...intent, outcome });
  }
}
