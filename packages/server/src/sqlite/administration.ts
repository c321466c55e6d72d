import { statSync } from "node:fs";
import { dirname } from "node:path";
import { dialect as sqliteDialect } from "./dialect.ts";
import { openConnection, type OpenSqlite, withStoreErrors } from "@afterword/reference-server/internal";
import { QueryConnection, sqliteResults } from "@afterword/results/store";
import { administrationMethods } from "../store/administration-methods.ts";
import { type OperatedStore, type StoreAdministration } from "../store/administration.ts";
import { backup } from "./backup.ts";
import { inspect } from "./inspect.ts";

function administration(opened: OpenSqlite, own: QueryConnection): StoreAdministration {
  const { path, connection, check, truncation, reserve } = opened;
  const methods = administrationMethods(
    {
      read: (work) => own.read(work),
      write: (work) =>
        withStoreErrors(() => {
          check();
          return own.transaction(work);
        }),
    },
    sqliteDialect,
  );
  return {
    ...methods,
    ...sqliteResults(opened),
    /**
     * Takes what was forgotten off the disk too, once after the last of many short transactions; and when there was
     * nothing to forget, what a process that was killed, or held up by a reader, has left in the log.
     */
    async retain(rule) {
      const counts = await reserve.freeing(() => methods.retain(rule));
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
    backup: (file, options) => backup(path, file, options),
  };
}

/** The store of an open SQLite database, with what operating the service needs. */
export function operated(opened: OpenSqlite): OperatedStore {
  const { store, path } = opened;
  // Its transactions wait between their statements: on the store's own connection, requests would take part in them.
  const own = new QueryConnection(openConnection(path, "none"));
  const closeStore = store.close;
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= own.close().then(closeStore));
  return Object.assign(store, { administration: administration(opened, own), close });
}
