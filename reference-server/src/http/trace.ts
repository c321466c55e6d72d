import { type FoundKey } from "../domain/project-directory.ts";
import { newRecordId } from "../domain/record-id.ts";
import { type AuditEntry, type RequestEvent } from "../operations/events.ts";
import { type Gate } from "./gate.ts";

/** The event of a request, filled in while it is answered. */
export function traceOf(gate: Gate, method: string, route?: string): RequestEvent {
  const requestId = newRecordId(gate.service.clock.now());
  const trace: RequestEvent = { kind: "request", requestId, method, status: 0, durationInMs: 0 };
  if (route !== undefined) trace.route = route;
  return trace;
}

export function finished(gate: Gate, trace: RequestEvent, status: number, durationInMs: number): void {
  trace.status = status;
  trace.durationInMs = durationInMs;
  gate.events.emit(trace);
}

/** What a handler writes down of whom, with the key that asked for it. */
export function auditOf(gate: Gate, trace: RequestEvent, { project, key }: FoundKey) {
  return (entry: AuditEntry) => {
    const who = { requestId: trace.requestId, projectId: project.id, keyId: key.id };
    gate.events.emit({ kind: "audit", ...who, ...entry });
  };
}
