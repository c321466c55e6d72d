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
  requester,
  hooks,
}) => {
  // First: a signal that is taken after the client has disconnected is never aborted.
  const gone = signal();
  await using snapshot = await openExport(service, project, query);
  try {
    // A HEAD gives nothing out.
    const { count, selection } = snapshot;
    if (!isHead) await hooks.beforeExport?.({ ...selection, project, requester, count });
    const exportedAt = timestamp(service.clock.now());
    const head = JSON.stringify({ projectId: project.id, exportedAt, count }).slice(0, -1);
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

export const erase: Handler<"DELETE /v1/privacy/erase"> = ({ service, project, query, ...options }) =>
  eraseResponses(service, project, query, options);
