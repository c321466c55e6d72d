import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock } from "../domain/clock.ts";
import { finding, type Finding, type Store } from "../store/store.ts";
import { openAuditFile } from "../audit/audit-file.ts";
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

interface ExaminedFile {
  name: string;
  /** As given to `doctor` itself. */
  given?: string;
  recorded?: string;
  recordedHost?: string;
  /** Name of this machine. */
  host: string;
  /** @throws Error when it cannot be written */
  open: (path: string) => unknown;
}

/** Whether a file of a server can be written; `undefined` when neither `doctor` nor a server was given one. */
async function examineFile(file: ExaminedFile): Promise<Finding | undefined> {
  const { name, given, recorded, recordedHost, host, open } = file;
  const path = given ?? recorded;
  if (path === undefined) return undefined;
  const isRecorded = given === undefined;
  if (isRecorded && !existsSync(path)) {
    if (host !== recordedHost)
      return finding(name, true, `${path} on ${recordedHost}, not visible from here`);
    return finding(
      name,
      false,
      `${path} is missing`,
      "The server was started with it: put it back and restart the server.",
    );
  }
  try {
    await open(path);
  } catch (error) {
    return finding(name, false, "failed", (error as Error).message);
  }
  return finding(
    name,
    true,
    `${path} can be written${isRecorded ? " (of the server that started last)" : ""}`,
  );
}

export interface FilesToExamine {
  given: ServerFiles;
  recorded?: RecordedFiles;
  host: string;
  clock: Clock;
}

/** Checks the erasure log and the audit file. A file that a server was started with is not created. */
export async function examineServerFiles({
  given,
  recorded,
  host,
  clock,
}: FilesToExamine): Promise<Finding[]> {
  const common = { host, recordedHost: recorded?.host };
  const erasureLog = await examineFile({
    ...common,
    name: "erasure log",
    given: given.erasureLog,
    recorded: recorded?.erasureLog,
    open: (path) => openErasureLog(path).close(),
  });
  const auditFile = await examineFile({
    ...common,
    name: "audit file",
    given: given.auditFile,
    recorded: recorded?.auditFile,
    open: (path) => openAuditFile(path, clock),
  });
  const advice = "Set --erasure-log; without it, a restored backup brings erased answers back.";
  return [
    erasureLog ?? finding("erasure log", false, "none", advice),
    auditFile ?? finding("audit file", true, "none: audit lines go to standard error"),
  ];
}
