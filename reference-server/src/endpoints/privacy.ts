import { auditedSelection } from "../domain/selection.ts";
import { eraseResponses } from "../domain/erase-responses.ts";
import { exportRowText, openExport } from "../domain/export-responses.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { bufferedText } from "../http/buffered-text.ts";
import { type Handler } from "../http/handlers.ts";
import { type ExportSnapshot } from "../store/store.ts";

async function* textsOf(snapshot: ExportSnapshot, head: string): AsyncGenerator<string> {
  yield head;
  let separator = "";
  for await (const page of snapshot.pages()) {
    yield separator + page.map(exportRowText).join(",");
    separator = ",";
  }
  yield "]}";
}

/** From one snapshot, in pages: a million rows must not become one string. */
export const exportResponses: Handler<"GET /v1/privacy/export"> = async ({
  service,
  project,
  query,
  isHead,
  signal,
  audit,
}) => {
  // First: a signal that is taken after the client has disconnected is never aborted.
  const gone = signal();
  await using snapshot = await openExport(service, project, query);
  try {
    // First: without its line, nothing is given out.
    const counts = { responses: snapshot.count };
    const selection = auditedSelection(project, query);
    await audit().reading({ action: "export", projectId: project.id, ...selection, counts });
    const exportedAt = timestamp(service.clock.now());
    const head = JSON.stringify({ projectId: project.id, exportedAt, count: snapshot.count }).slice(0, -1);
    const texts = isHead ? [] : textsOf(snapshot, `${head},"responses":[`);
    const reply = await bufferedText(texts, service.store.temporaryFolder, gone);
    reply.once("close", snapshot.giveBack);
    if (gone.aborted) reply.destroy();
    gone.addEventListener("abort", () => reply.destroy(), { once: true });
    return reply;
  } catch (error) {
    snapshot.giveBack();
    throw error;
  }
};

export const erase: Handler<"DELETE /v1/privacy/erase"> = async ({ service, project, query, audit }) => {
  // Before the erasure: an account purge destroys the key of the hashes.
  const selection = auditedSelection(project, query);
  const intent = { action: "erase", projectId: project.id, ...selection, counts: {} } as const;
  const change = () =>
    audit().change(intent, async (addResults) => {
      const reply = await eraseResponses(service, project, query);
      const { responsesDeleted = 0, dismissalsDeleted = 0, suppressionRetained = 0 } = reply;
      addResults({ counts: { responsesDeleted, dismissalsDeleted, suppressionRetained } });
      return reply;
    });
  // Its audit lines, too, may be on the disk of the database.
  return service.store.withRoom(change);
};
