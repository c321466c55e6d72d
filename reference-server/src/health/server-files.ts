import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock } from "../domain/clock.ts";
import { finding, type Finding, type Store } from "../store/store.ts";
import { openAuditFile } from "../audit/open-audit-trail.ts";
import { openErasureLog } from "../audit/erasure-log-file.ts";

/** Files outside the database that a server was started with. */
interface ServerFiles {
  erasureLog?: string;
  auditFile?: string;
}

/** The files of the server that has started last, and its machine. */
export interface RecordedFiles extends ServerFiles {
  host: string;
}

const agreementName = "server-files";

/** Lets `doctor` find the files of a server, whose flags and variables it does not have. */
export async function recordServerFiles(
  store: Store,
  { erasureLog, auditFile }: ServerFiles,
  host: string,
): Promise<void> {
  const value = JSON.stringify({
    host,
    erasureLog: erasureLog && resolve(erasureLog),
    auditFile: auditFile && resolve(auditFile),
  });
  if ((await store.agreement(agreementName)) !== value) await store.changeAgreement(agreementName, value);
}

/** The files of the server that has started last; `undefined` before the first one. */
export async function recordedServerFiles(store: Store): Promise<RecordedFiles | undefined> {
  const value = await store.agreement(agreementName);
  return value === undefined ? undefined : (JSON.parse(value) as RecordedFiles);
}

export interface FilesToExamine {
  /** As given to `doctor` itself. */
  given: ServerFiles;
  recorded?: RecordedFiles;
  /** Name of this machine. */
  host: string;
  clock: Clock;
}

/**
 * Whether a file of a server can be written; `undefined` when neither `doctor` nor a server was given one. A file that a
 * server was started with is not created.
 */
function examineFile(
  kind: keyof ServerFiles,
  name: string,
  { given, recorded, host, clock }: FilesToExamine,
): Finding | undefined {
  const path = given[kind] ?? recorded?.[kind];
  if (path === undefined) return undefined;
  const isRecorded = given[kind] === undefined;
  if (isRecorded && !existsSync(path)) {
    if (host !== recorded?.host)
      return finding(name, true, `${path} on ${recorded?.host}, not visible from here`);
    const advice = "The server was started with it: put it back and restart the server.";
    return finding(name, false, `${path} is missing`, advice);
  }
  try {
    if (kind === "auditFile") openAuditFile(path, clock);
    else openErasureLog(path);
  } catch (error) {
    return finding(name, false, "failed", (error as Error).message);
  }
  const whose = isRecorded ? " (of the server that started last)" : "";
  return finding(name, true, `${path} can be written${whose}`);
}

/** Checks the erasure log and the audit file. */
export function examineServerFiles(files: FilesToExamine): Finding[] {
  const advice = "Set --erasure-log; without it, a restored backup brings erased answers back.";
  return [
    examineFile("erasureLog", "erasure log", files) ?? finding("erasure log", false, "none", advice),
    examineFile("auditFile", "audit file", files) ??
      finding("audit file", true, "none: audit lines go to standard error"),
  ];
}
