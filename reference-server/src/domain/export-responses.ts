import { type ExportQuery } from "@afterword/protocol";
import { StoreUnavailable, type ExportedResponse, type ExportSnapshot } from "../store/store.ts";
import { timestamp } from "./ids-and-times.ts";
import { type Project } from "./project-directory.ts";
import { selectionOf, type Selection } from "./selection.ts";
import { type Service } from "./service.ts";

/** Exports of a project that are open at once on this node: of the project or a survey, and of single persons. */
const mostOpen = { whole: 4, person: 16 };

/** Bounds how many exports are open. Each takes a connection while it is read, and disk space until its client has it. */
export class ExportSlots {
  readonly #open = new Map<string, Set<symbol>>();

  /** Returns a function that gives the slot back. @throws StoreUnavailable while as many are open as may be */
  take(projectId: string, kind: keyof typeof mostOpen): () => void {
    const name = `${kind} ${projectId}`;
    const open = this.#open.get(name) ?? new Set();
    if (open.size >= mostOpen[kind]) throw new StoreUnavailable("too many exports are open");
    const slot = Symbol(name);
    this.#open.set(name, open.add(slot));
    return () => void open.delete(slot);
  }
}

/** A snapshot that an export is read from. */
export interface OpenExport extends ExportSnapshot {
  selection: Selection;
  /** Call when the reply is over: until then it counts among those that are open. */
  giveBack(): void;
}

/** @throws StoreUnavailable when too many exports are open */
export async function openExport(
  service: Service,
  project: Project,
  query: ExportQuery,
): Promise<OpenExport> {
  const selection = selectionOf(project, query);
  const giveBack = service.exportSlots.take(project.id, selection.respondentIds ? "person" : "whole");
  try {
    const snapshot = await service.store.openExport({ projectId: project.id, ...selection });
    return { ...snapshot, selection, giveBack };
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** @returns JSON, without the session, which the contract keeps out of it */
export function exportRowText(exported: ExportedResponse): string {
  const { traits, run, at, sessionId: _, observationId: _of, taskType: _type, ...row } = exported;
  const fields = JSON.stringify({ ...row, at: timestamp(at) });
  // Both are stored as the JSON they are sent as: parsing them only to write them again would be wasted.
  return `${fields.slice(0, -1)},"traits":${traits ?? "null"}${run === null ? "" : `,"run":${run}`}}`;
}
