import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type Connection, schemaVersion } from "@afterword/reference-server/internal";
import { finding, type Finding } from "../store/administration.ts";

const mebibyte = 1024 * 1024;
const leastFreeMebibytes = 256;
const longestHeldLogInMebibytes = 64;

/** Settings as they must be, and what to do about another value. */
const settings = [
  ["schema version", "user_version", schemaVersion, "Start this version of the server once: it migrates."],
  ["journal mode", "journal_mode", "wal", "Another program changed it; run `PRAGMA journal_mode = WAL`."],
  ["synchronous", "synchronous", 2, "It must be FULL (2), or a power cut takes back acknowledged answers."],
  ["secure delete", "secure_delete", 1, "It must be on, or erased text stays in the file."],
] as const;

function freeSpace(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(path) || ".");
  const free = Math.floor((bavail * bsize) / mebibyte);
  const advice = `Make room: with a full disk nothing can be stored, and nothing erased either.`;
  return finding("free disk space", free >= leastFreeMebibytes, `${free} MiB`, advice);
}

/** Reads the whole database in one statement: minutes for gigabytes, in which the log grows by what is written. */
function integrity(connection: Connection, isAsked: boolean): Finding {
  if (!isAsked) return finding("integrity", true, "not checked; --integrity reads the whole database");
  const result = connection.pragma("quick_check(1)", { simple: true });
  const advice = "Stop the server, keep the file, and restore the newest backup.";
  return finding("integrity", result === "ok", String(result), advice);
}

/** What a reader keeps in the log. A log that was moved into the database whole keeps its size, and is written anew. */
function heldLog(connection: Connection): Finding {
  type Checkpoint = Record<"log" | "checkpointed", number>;
  const [{ log, checkpointed }] = connection.pragma("wal_checkpoint(PASSIVE)") as [Checkpoint];
  const pageSize = connection.pragma("page_size", { simple: true }) as number;
  const held = Math.round(((log - checkpointed) * pageSize) / mebibyte);
  const advice =
    "Something has been reading for a long time and keeps the log from being cut: look for a backup or a hanging export.";
  const found = `${held} MiB held by readers, ${Math.round((Math.max(log, 0) * pageSize) / mebibyte)} MiB in all`;
  return finding("write-ahead log", held <= longestHeldLogInMebibytes, found, advice);
}

/** @param isIntegrityAsked whether to read the whole database for damage */
export function inspect(connection: Connection, isIntegrityAsked: boolean): Finding[] {
  const version = connection.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "";
  return [
    // Opening refuses versions that corrupt databases, so what is open is good.
    finding("database", true, `SQLite ${version}, ${connection.name}`),
    ...settings.map(([name, pragma, wanted, advice]) => {
      const found = connection.pragma(pragma, { simple: true });
      return finding(name, found === wanted, found, advice);
    }),
    // Before the check of integrity, which is itself a reader that holds the log.
    heldLog(connection),
    integrity(connection, isIntegrityAsked),
    freeSpace(connection.name),
  ];
}
