import { type Project, respondentHash, secretsAfterPurge } from "@afterword/reference-server/internal";
import { type ErasureEntry, erasureHash } from "../audit/erasure-log.ts";
import { type OperatedService } from "./operated-service.ts";

/** Clocks of nodes differ a little: what was stored in the minute of an erasure goes with it. */
const leewayInMs = 60_000;

export interface Reapplied {
  erasures: number;
  /** Erasures of projects that the backup does not have. */
  skipped: number;
  responsesDeleted: number;
  dismissalsDeleted: number;
}

async function respondentsByErasureHash({ store }: OperatedService, { id, pepper }: Project) {
  const ids = await store.administration.respondentIds(id);
  return new Map(ids.map((id) => [erasureHash(pepper, id), id]));
}

async function purgeAgain(service: OperatedService, project: Project, entry: ErasureEntry) {
  // A backup from after the purge has its epoch already.
  if (entry.epoch === undefined || project.epoch >= entry.epoch) return undefined;
  const secrets = secretsAfterPurge(service, project);
  const counts = await service.store.erase({ projectId: project.id, secrets });
  await service.directory.refresh();
  return counts;
}

async function eraseAgain(
  service: OperatedService,
  project: Project,
  entry: ErasureEntry,
  known: Map<string, string>,
) {
  const { pepper } = project;
  const ids = entry.respondents?.flatMap((hash) => known.get(hash) ?? []);
  if (ids?.length === 0) return undefined;
  return service.store.erase({
    projectId: project.id,
    respondents: ids?.map((id) => ({ id, hash: respondentHash(pepper, id) })),
    surveyIds: entry.surveyIds,
    storedUntil: Date.parse(entry.at) + leewayInMs,
  });
}

/** Applies remembered erasures to a database that is older than they are; doing so again changes nothing. */
export async function reapplyErasures(
  service: OperatedService,
  entries: readonly ErasureEntry[],
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Reapplied> {
  const sum: Reapplied = { erasures: 0, skipped: 0, responsesDeleted: 0, dismissalsDeleted: 0 };
  const known = new Map<string, Map<string, string>>();
  for (const [index, entry] of entries.entries()) {
    onProgress(index, entries.length);
    const project = service.directory.project(entry.projectId);
    if (!project) {
      sum.skipped += 1;
      continue;
    }
    if (entry.respondents && !known.has(project.id))
      known.set(project.id, await respondentsByErasureHash(service, project));
    const counts =
      entry.mode === "account"
        ? await purgeAgain(service, project, entry)
        : await eraseAgain(service, project, entry, known.get(project.id) ?? new Map());
    sum.erasures += 1;
    sum.responsesDeleted += counts?.responsesDeleted ?? 0;
    sum.dismissalsDeleted += counts?.dismissalsDeleted ?? 0;
    // A purge replaces the pepper that the hashes were made with.
    if (entry.mode === "account") known.delete(project.id);
  }
  return sum;
}
