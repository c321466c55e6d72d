import { hostname } from "node:os";
import {
  type AppOptions as CoreOptions,
  type Application,
  type Erasure,
  type Hooks,
  type Requester,
} from "@afterword/reference-server";
import {
  allOf,
  createApp as createCoreApp,
  newRecordId,
  systemClock,
} from "@afterword/reference-server/internal";
import { auditedSelection } from "../audit/audited-selection.ts";
import { inRoom, rememberedIn, type ErasureLog } from "../audit/erasure-log.ts";
import { Audit, trailWithEvents, type AuditTrail, type ServerEvents } from "../audit/audit-trail.ts";
import { Load } from "../health/load.ts";
import { readinessOf } from "../health/readiness.ts";
import { type OperatedStore } from "../store/administration.ts";

const intentOf = (erasure: Erasure, counts: Readonly<Record<string, number>> = {}) =>
  ({ action: "erase", ...auditedSelection(erasure.project, erasure), counts }) as const;

/** Audits the exports and erasures that requests make, and remembers these outside the database. */
function auditHooks(trail: AuditTrail, log: ErasureLog | undefined): Hooks {
  const remember = rememberedIn(log).beforeErase;
  const auditOf = ({ requestId, keyId }: Requester) =>
    new Audit(trail, { act: requestId, requestId, keyId, host: hostname() });
  return {
    async beforeExport({ project, requester, count, ...selection }) {
      const about = { action: "export", ...auditedSelection(project, selection) } as const;
      await auditOf(requester!).reading({ ...about, counts: { responses: count } });
    },
    async beforeErase(erasure) {
      const audit = auditOf(erasure.requester!);
      await audit.begin(intentOf(erasure));
      try {
        await remember(erasure);
      } catch (error) {
        await audit.fail(intentOf(erasure));
        throw error;
      }
    },
    async afterErase(erasure, reply) {
      const audit = auditOf(erasure.requester!);
      if (!reply) return audit.fail(intentOf(erasure));
      const { responsesDeleted = 0, dismissalsDeleted = 0, suppressionRetained = 0 } = reply;
      await audit.complete(intentOf(erasure, { responsesDeleted, dismissalsDeleted, suppressionRetained }));
    },
  };
}

/** Options of the core's `createApp`, and audit lines and an erasure log in place of its hooks. */
export interface AppOptions extends Omit<
  CoreOptions,
  "hooks" | "applyChange" | "events" | "permit" | "readiness"
> {
  /** Receives events for logging and metrics, and audit lines. Default: none. */
  events?: ServerEvents | undefined;
  /** Keeps audit lines, which the events get too. Default: none. */
  auditTrail?: AuditTrail | undefined;
  /** Refuses excess load with 503. Default: 1,000 requests and 64 MiB of bodies in flight. */
  load?: Load | undefined;
  /** Records erasures outside the database. Default: none. */
  erasureLog?: ErasureLog | undefined;
}

/** Opens the core's application with audit lines and an erasure log. @throws InvalidConfig with all mistakes */
export function createApp(options: AppOptions = {}): Promise<Application> {
  const { clock = systemClock, config, erasureLog, auditTrail, load = new Load() } = options;
  const { administration } = (options.store ?? {}) as Partial<OperatedStore>;
  const trail = trailWithEvents(allOf(options.events), auditTrail);
  const actor = { command: "serve", operator: "config file", host: hostname() };
  const ofConfig = new Audit(trail, { act: newRecordId(clock.now()), ...actor });
  const readiness = readinessOf(load, auditTrail);
  return createCoreApp({
    ...options,
    hooks: inRoom(administration?.room, auditHooks(trail, erasureLog)),
    applyChange: (...change) => ofConfig.changeConfig(...change),
    permit: () => load.permit(),
    readiness: (service, { headers }) =>
      readiness(service, headers.get("x-forwarded-for"), config?.trustedProxies ?? 0),
  });
}
