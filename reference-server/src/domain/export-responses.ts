import { type ExportQuery } from "@afterword/protocol";
import { type ExportSnapshot } from "../store/store.ts";
import { type Project } from "./project-directory.ts";
import { selectionOf } from "./selectors.ts";
import { type Service } from "./service.ts";

/** Opens the snapshot that an export is streamed from; the caller closes it, and the next export begins. */
export async function openExport(
  service: Service,
  project: Project,
  query: ExportQuery,
): Promise<ExportSnapshot> {
  const selection = { projectId: project.id, ...selectionOf(service, project, query) };
  const endTurn = await service.exportTurns.take(project.id);
  try {
    const snapshot = await service.store.openExport(selection);
    const close = () => snapshot.close().finally(endTurn);
    return { count: snapshot.count, pages: () => snapshot.pages(), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    endTurn();
    throw error;
  }
}
