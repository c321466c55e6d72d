import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock, databasePlace, UsageError } from "@afterword/reference-server/internal";
import { isSameFile, withoutLinks } from "./same-file.ts";
import { openAuditFile } from "../audit/open-audit-trail.ts";
import { openErasureLog } from "../audit/erasure-log.ts";
import { finding, type Finding, type OperatedStore } from "../store/administration.ts";

/** Files outside the database that a server was started with. */
interface ServerFiles {
  erasureLog?: string;
  auditFile?: string;
}

/** The files of the server that has started last, and its machine. */
export interface RecordedFiles extends ServerFiles {
  host: string;
  /** The erasure logs of every server so far: no command writes over them. */
  erasureLogs?: string[];
  auditFiles?: string[];
}

const agreementName = "server-files";

const withPath = (known: readonly string[] = [], path: string | undefined) =>
  path === undefined ? known : [...new Set([...known, withoutLinks(path)])];

/** Lets commands find the files of servers, whose flags and variables they do not have. */
export async function recordServerFiles(
  store: OperatedStore,
  { erasureLog, auditFile }: ServerFiles,
  host: string,
): Promise<void> {
  const record = (before = "{}") => {
    const { erasureLogs, auditFiles } = JSON.parse(before) as Partial<RecordedFiles>;
    return JSON.stringify({
      host,
      erasureLog: erasureLog && resolve(erasureLog),
      auditFile: auditFile && resolve(auditFile),
      erasureLogs: withPath(erasureLogs, erasureLog),
      auditFiles: withPath(auditFiles, auditFile),
    });
  };
  const before = await store.administration.agreement(agreementName);
  // A start that changes nothing succeeds on a full disk.
  if (before !== record(before)) await store.administration.changeAgreement(agreementName, record);
}

/** The files of the server that has started last; `undefined` before the first one. */
export async function recordedServerFiles(store: OperatedStore): Promise<RecordedFiles | undefined> {
  const value = await store.administration.agreement(agreementName);
  return value === undefined ? undefined : (JSON.parse(value) as RecordedFiles);
}

/** @throws UsageError when both logs are one file, or one is a file of the database */
export function checkServerFiles(
  { erasureLog, auditFile }: { erasureLog?: string | string[]; auditFile?: string },
  database: string,
  keyFile?: string,
): void {
  const place = databasePlace(database);
  const own = [place.kind === "file" ? place.files : [], keyFile ?? []].flat();
  const logs = [erasureLog ?? []].flat();
  const mixed = [...logs, auditFile ?? []].flat().find((path) => own.some((file) => isSameFile(file, path)));
  if (mixed !== undefined)
    throw new UsageError(`${mixed} belongs to the server's own database: choose another file.`);
  if (auditFile !== undefined && logs.some((log) => isSameFile(log, auditFile)))
    throw new UsageError(`${auditFile} cannot be both the erasure log and the audit file: choose two files.`);
}

/** @throws UsageError when a log is the other log of a server, whose lines would end up among its own */
export async function checkAgainstRecorded(
  store: OperatedStore,
  { erasureLog, auditFile }: ServerFiles,
): Promise<void> {
  const { erasureLogs = [], auditFiles = [] } = (await recordedServerFiles(store)) ?? {};
  const mixed = (path: string | undefined, others: readonly string[], kind: string) => {
    if (path !== undefined && others.some((other) => isSameFile(other, path)))
      throw new UsageError(`${path} is the ${kind} of a server of this database: choose another file.`);
  };
  mixed(erasureLog, auditFiles, "audit file");
  mixed(auditFile, erasureLogs, "erasure log");
}

/** Erasure logs and audit files of all servers of a database so far. */
export async function recordedLogs(store: OperatedStore): Promise<string[]> {
  const { erasureLogs = [], auditFiles = [] } = (await recordedServerFiles(store)) ?? {};
  return [...erasureLogs, ...auditFiles];
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
