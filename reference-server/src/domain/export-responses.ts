import { type ExportQuery } from "@afterword/protocol";
import { type ExportedResponse, type ExportSnapshot } from "../store/store.ts";
import { timestamp } from "./ids-and-times.ts";
import { type Project } from "./project-directory.ts";
import { selectionOf } from "./selection.ts";
import { type Service } from "./service.ts";

/** A snapshot that an export is read from. Closing it lets the next export of the project begin. */
export interface OpenExport extends ExportSnapshot {
  /** Call when the reply is over: until then it counts among those that are open. */
  leave(): void;
  /** Aborted when the reply has to end, for another export to begin. */
  readonly cut: AbortSignal;
}

/**
 * Opens an export when it is its turn.
 * @param signal aborted when the client is gone: the export then waits no longer
 * @throws StoreUnavailable when too many are open
 */
export async function openExport(
  service: Service,
  project: Project,
  query: ExportQuery,
  signal: AbortSignal,
): Promise<OpenExport> {
  const selection = { projectId: project.id, ...selectionOf(project, query) };
  const turn = await service.exportTurns.take(project.id, selection.respondentIds !== undefined, signal);
  try {
    const snapshot = await service.store.openExport(selection, signal);
    const close = () => snapshot.close().finally(turn.end);
    const { count } = snapshot;
    const pages = () => snapshot.pages();
    return { count, pages, close, leave: turn.leave, cut: turn.cut, [Symbol.asyncDispose]: close };
  } catch (error) {
    turn.end();
    turn.leave();
    throw error;
  }
}

export function exportRowText({ traits, at, ...row }: ExportedResponse): string {
  const fields = JSON.stringify({ ...row, at: timestamp(at) });
  // Traits are stored as the JSON they are sent as: parsing them only to write them again would be wasted.
  return `${fields.slice(0, -1)},"traits":${traits ?? "null"}}`;
}
