import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { sql } from "kysely";
import {
  diskFull,
  openConnection,
  type OpenSqlite,
  StoreUnavailable,
  withStoreErrors,
} from "@afterword/reference-server/internal";
import { QueryConnection, sqliteResults } from "@afterword/results/store";
import {
  administrationMethods,
  type OperatedStore,
  type StoreAdministration,
} from "../store/administration.ts";
import { backup } from "./backup.ts";
import { erasuresOf } from "./erasing-thread.ts";
import { inspect } from "./inspect.ts";
import { Reserve } from "./reserve.ts";

/** A few answers, and the log that they are written to first. */
const leastFreeBytes = 512 * 1024;

function hasNoRoom(path: string): boolean {
  // A folder that is gone is for the database to report.
  if (!existsSync(dirname(path))) return false;
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize < leastFreeBytes;
}

function administration(opened: OpenSqlite, own: QueryConnection, reserve: Reserve): StoreAdministration {
  const { path, connection, check, truncation } = opened;
  const methods = administrationMethods(
    {
      read: (work) => own.read(work),
      write: (work) =>
        withStoreErrors(() => {
          check();
          return own.transaction(work);
        }),
    },
    (ids) => sql`respondent_id IN (${sql.join(ids)})`,
  );
  return {
    ...methods,
    ...sqliteResults(opened),
    /**
     * Takes what was forgotten off the disk too, once after the last of many short transactions; and when there was
     * nothing to forget, what a process that was killed, or held up by a reader, has left in the log.
     */
    async retain(...rule) {
      const counts = await reserve.freeing(() => methods.retain(...rule));
      const { responsesDeleted, dismissalsDeleted, textsRemoved, failedTextsRemoved } = counts;
      if (responsesDeleted + dismissalsDeleted + textsRemoved + failedTextsRemoved === 0)
        await truncation.run();
      return counts;
    },
    // On a full disk too: deleting what is old makes room.
    recordCleanUp: (at) => reserve.freeing(() => methods.recordCleanUp(at)),
    folders: { database: dirname(path) },
    // The file, which keeps its size when the log begins again: that is the room it takes on the disk.
    writeAheadLogBytes: async () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    inspect: (isIntegrityAsked) => withStoreErrors(() => inspect(connection, isIntegrityAsked ?? false)),
    isErasedTextHeld: () => truncation.isHeld,
    onErasingFailure: (listener) => void (truncation.onFailure = listener),
    room: { take: () => reserve.take(hasNoRoom(path)), giveBack: () => reserve.giveBack() },
    backup: (file, options) => backup(path, file, options),
  };
}

/** The store of an open SQLite database, with what operating the service needs. @param isKept whether it outlives the process */
export function operated(opened: OpenSqlite, isKept: boolean): OperatedStore {
  const { store, path, connection, truncation } = opened;
  // Its transactions wait between their statements: on the store's own connection, requests would take part in them.
  const own = new QueryConnection(openConnection(path, "none"));
  const reserve = new Reserve(connection, isKept);
  const erasures = erasuresOf(opened);
  const { truncate } = truncation;
  const { ping, close: closeStore } = store;
  let closing: Promise<void> | undefined;
  truncation.truncate = () => reserve.emptying(truncate);
  return Object.assign(store, {
    administration: administration(opened, own, reserve),
    erase: (erased) => reserve.freeing(() => erasures.run(erased)),
    async ping() {
      await ping();
      if (!hasNoRoom(path)) return;
      const cause = new Error(`No room for ${path} on the disk of ${dirname(resolve(path))}.`);
      throw new StoreUnavailable(diskFull, { cause });
    },
    async close() {
      truncation.stop();
      closing ??= own
        .close()
        .then(() => erasures.drain())
        .then(closeStore);
      return closing;
    },
  } satisfies Partial<OperatedStore>);
}
