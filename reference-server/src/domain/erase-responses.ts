import { type EraseQuery, type EraseReply } from "@afterword/protocol";
import { timestamp } from "./ids-and-times.ts";
import { erasureHash } from "./erasure-log.ts";
import { type Project } from "./project-directory.ts";
import { randomSecrets } from "./project-secrets.ts";
import { respondentHash } from "./respondent-hash.ts";
import { selectionOf } from "./selection.ts";
import { type Service } from "./service.ts";

const deliveredNote =
  "Scores that were already delivered stay at the observability service until they are deleted there.";
const accountNote =
  "Responses, dismissals, suppression and the queue of the project are gone, its respondents can be asked again, and " +
  "show-tokens issued before no longer work. Keys and survey definitions stay. ";

/** Says what an erasure cannot reach, in this database and outside of it. */
const remainderNote = ({ store }: Service) => `${store.erasedBytesNote} ${deliveredNote}`;

/** Cursors stay good: the forwarder goes on where it is. */
export function secretsAfterPurge({ masterKeys }: Service, { id, cursorKey }: Project): string {
  return masterKeys.seal(id, { ...randomSecrets(), cursorKey });
}

async function eraseAccount(service: Service, project: Project): Promise<EraseReply> {
  // A new pepper makes the old hashes and imp_ ids unlinkable for good.
  const secrets = secretsAfterPurge(service, project);
  await service.erasureLog?.append({
    at: timestamp(service.clock.now()),
    projectId: project.id,
    mode: "account",
    epoch: project.epoch + 1,
  });
  await service.runCounts.forget(project.id);
  const counts = await service.store.purgeProject({ projectId: project.id, secrets });
  await service.directory.refresh();
  return { ok: true, mode: "account", ...counts, note: accountNote + remainderNote(service) };
}

/** Erases in one transaction and returns how much. */
export function eraseResponses(service: Service, known: Project, query: EraseQuery): Promise<EraseReply> {
  // The log is often on the disk of the database.
  return service.store.withRoom(() => eraseInRoom(service, known, query));
}

async function eraseInRoom(service: Service, known: Project, query: EraseQuery): Promise<EraseReply> {
  const project = await service.directory.current(known);
  if (query.account !== undefined) return eraseAccount(service, project);
  const { respondentIds, surveyIds } = selectionOf(project, query);
  const respondents = respondentIds?.map((id) => ({ id, hash: respondentHash(project.pepper, id) }));
  const mode = respondentIds ? "respondent" : "survey";
  // First, so that no erasure happens that a restored backup would not know of.
  await service.erasureLog?.append({
    at: timestamp(service.clock.now()),
    projectId: project.id,
    mode,
    ...(respondentIds && { respondents: respondentIds.map((id) => erasureHash(project.pepper, id)) }),
    ...(surveyIds && { surveyIds }),
  });
  if (!respondents) await service.runCounts.forget(project.id, surveyIds);
  const counts = await service.store.erase({ projectId: project.id, respondents, surveyIds });
  return {
    ok: true,
    mode,
    ...(respondentIds && { respondentIds }),
    ...(query.surveySlug !== undefined && { surveySlug: query.surveySlug }),
    ...counts,
    note: remainderNote(service),
  };
}
