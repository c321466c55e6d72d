import { type EraseQuery, type EraseReply } from "@afterword/protocol";
import { accessedOf, type Erasure, type Hooks, type Requester } from "./hooks.ts";
import { type Project } from "./project-directory.ts";
import { randomSecrets } from "./master-keys.ts";
import { respondentHash } from "./respondent-hash.ts";
import { selectionOf } from "./selection.ts";
import { type Service } from "./service.ts";

const deliveredNote =
  "Scores that were already delivered stay at the observability service until they are deleted there.";
const accountNote =
  "Responses, dismissals, suppression and the queue of the project are gone, its respondents can be asked again, and " +
  "show-tokens issued before no longer work. Keys and survey definitions stay. ";

/** Cursors stay good: the forwarder goes on where it is. */
export function secretsAfterPurge({ masterKeys }: Service, { id, cursorKey }: Project): string {
  return masterKeys.seal(id, { ...randomSecrets(), cursorKey });
}

async function eraseAll(service: Service, project: Project, erasure: Erasure): Promise<EraseReply> {
  const { store, directory, runCounts } = service;
  const { mode, respondentIds, surveySlug, surveyIds } = erasure;
  const { id: projectId, pepper } = project;
  const respondents = respondentIds?.map((id) => ({ id, hash: respondentHash(pepper, id) }));
  if (!respondents) await runCounts.forget(projectId, surveyIds);
  const isAccount = mode === "account";
  // A new pepper makes the old hashes and imp_ ids unlinkable for good.
  const chosen = isAccount ? { secrets: secretsAfterPurge(service, project) } : { respondents, surveyIds };
  const counts = await store.erase({ projectId, ...chosen });
  if (isAccount) await directory.refresh();
  return {
    ok: true,
    mode,
    ...(respondentIds && { respondentIds }),
    ...(surveySlug !== undefined && { surveySlug }),
    ...counts,
    note: `${isAccount ? accountNote : ""}${store.erasedBytesNote} ${deliveredNote}`,
  };
}

/** Erases in one transaction and returns how much. */
export async function eraseResponses(
  service: Service,
  known: Project,
  query: EraseQuery,
  { hooks, requester }: { hooks?: Hooks; requester?: Requester } = {},
): Promise<EraseReply> {
  const project = await service.directory.current(known);
  const isAccount = query.account !== undefined;
  const selection = isAccount ? {} : selectionOf(project, query);
  const mode = isAccount ? "account" : selection.respondentIds ? "respondent" : "survey";
  const at = service.clock.now();
  const erasure: Erasure = { ...selection, project: accessedOf(project), requester, mode, at };
  await hooks?.beforeErase?.(erasure);
  let reply: EraseReply;
  try {
    reply = await eraseAll(service, project, erasure);
  } catch (error) {
    // The error of the erasure says more than one of the hook.
    await (async () => hooks?.afterErase?.(erasure, undefined))().catch(() => undefined);
    throw error;
  }
  await hooks?.afterErase?.(erasure, reply);
  return reply;
}
