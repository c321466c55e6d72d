import { auditedSelection } from "../domain/selection.ts";
import { eraseResponses } from "../domain/erase-responses.ts";
import { exportRowText, openExport } from "../domain/export-responses.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { type Handler } from "../http/handlers.ts";
import { type ExportSnapshot } from "../store/store.ts";

async function* chunksOf(snapshot: ExportSnapshot, head: string): AsyncGenerator<string> {
  yield head;
  let separator = "";
  for await (const page of snapshot.pages()) {
    yield separator + page.map(exportRowText).join(",");
    separator = ",";
  }
  yield "]}";
}

/** Streamed from one snapshot: a million rows must not become one string (decision D110). */
export const exportResponses: Handler<"GET /v1/privacy/export"> = async ({
  service,
  project,
  query,
  signal,
  audit,
}) => {
  const gone = signal();
  const snapshot = await openExport(service, project, query, gone);
  try {
    // First: without its line, nothing is given out.
    const counts = { responses: snapshot.count };
    const selection = auditedSelection(project, query);
    await audit().reading({ action: "export", projectId: project.id, ...selection, counts });
  } catch (error) {
    await snapshot.close();
    snapshot.leave();
    throw error;
  }
  const exportedAt = timestamp(service.clock.now());
  const head = JSON.stringify({ projectId: project.id, exportedAt, count: snapshot.count }).slice(0, -1);
  return {
    chunks: chunksOf(snapshot, `${head},"responses":[`),
    release: snapshot.close,
    close: snapshot.leave,
    signal: gone,
    cut: snapshot.cut,
    folder: service.store.temporaryFolder,
  };
};

export const erase: Handler<"DELETE /v1/privacy/erase"> = async ({ service, project, query, audit }) => {
  // Before the erasure: an account purge destroys the key of the hashes.
  const selection = auditedSelection(project, query);
  const intent = { action: "erase", projectId: project.id, ...selection, counts: {} } as const;
  return audit().change(intent, async (learn) => {
    const reply = await eraseResponses(service, project, query);
    const { responsesDeleted = 0, dismissalsDeleted = 0, suppressionRetained = 0 } = reply;
    learn({ counts: { responsesDeleted, dismissalsDeleted, suppressionRetained } });
    return reply;
  });
};
