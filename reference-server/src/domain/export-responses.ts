import { type ExportQuery } from "@afterword/protocol";
import { type ExportSnapshot } from "../store/store.ts";
import { type Project } from "./project-directory.ts";
import { selectionOf } from "./selectors.ts";
import { type Service } from "./service.ts";

/** Opens the snapshot that an export is streamed from; the caller closes it. */
export async function openExport(
  service: Service,
  known: Project,
  query: ExportQuery,
): Promise<ExportSnapshot> {
  const project = await service.directory.current(known);
  return service.store.openExport({ projectId: project.id, ...selectionOf(service, project, query) });
}
