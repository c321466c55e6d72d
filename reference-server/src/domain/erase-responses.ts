import { type EraseQuery, type EraseReply } from "@afterword/protocol";
import { type Erasure, type Hooks, type Requester } from "./hooks.ts";
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
  await service.runCounts.forget(project.id);
  const counts = await service.store.erase({ projectId: project.id, secrets });
  await service.directory.refresh();
  return { ok: true, mode: "account", ...counts, note: accountNote + remainderNote(service) };
}

async function eraseSelected(service: Service, erasure: Erasure): Promise<EraseReply> {
  const { project, query, mode, respondentIds, surveyIds } = erasure;
  const respondents = respondentIds?.map((id) => ({ id, hash: respondentHash(project.pepper, id) }));
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

async function erasureOf(
  { directory, clock }: Service,
  known: Project,
  query: EraseQuery,
  requester: Requester | undefined,
): Promise<Erasure> {
  const project = await directory.current(known);
  const selection = query.account === undefined ? selectionOf(project, query) : {};
  const selected = selection.respondentIds ? "respondent" : "survey";
  const mode = query.account === undefined ? selected : "account";
  return { project, query, requester, mode, at: clock.now(), ...selection };
}

/** Erases in one transaction and returns how much. */
export async function eraseResponses(
  service: Service,
  known: Project,
  query: EraseQuery,
  { hooks, requester }: { hooks?: Hooks; requester?: Requester } = {},
): Promise<EraseReply> {
  const erasure = await erasureOf(service, known, query, requester);
  await hooks?.beforeErase?.(erasure);
  let reply: EraseReply;
  try {
    const { mode, project } = erasure;
    reply = await (mode === "account" ? eraseAccount(service, project) : eraseSelected(service, erasure));
  } catch (error) {
    // The error of the erasure says more than one of the hook.
    await (async () => hooks?.afterErase?.(erasure, undefined))().catch(() => undefined);
    throw error;
  }
  await hooks?.afterErase?.(erasure, reply);
  return reply;
}
