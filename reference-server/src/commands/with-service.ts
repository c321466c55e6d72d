import { existsSync } from "node:fs";
import { Mistake } from "../domain/mistake.ts";
import { type Service } from "../domain/service.ts";
import { masterKey } from "../master-key.ts";
import { openService } from "../open-service.ts";
import { openErasureLog } from "../operations/erasure-log-file.ts";
import { openStore } from "../store/open-store.ts";
import { isPostgresUrl } from "../store/postgres/database-url.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { type Terminal } from "./terminal.ts";

export interface ServiceFlags extends DatabaseFlags {
  erasureLog?: string;
}

/** A misspelt path must not become an empty database, nor a lost key file a new key. */
function checkDatabase({ db, keyFile }: DatabaseFlags, terminal: Terminal, mayCreate: boolean): void {
  if (db === ":memory:")
    throw new Mistake("A database in memory is gone when the command ends: give --db a path.");
  if (isPostgresUrl(db)) return;
  if (!existsSync(db)) {
    if (mayCreate) return;
    throw new Mistake(`There is no database ${db}: give its path by --db, or begin with \`project create\`.`);
  }
  if (keyFile || terminal.environment["AFTERWORD_MASTER_KEY"] || existsSync(`${db}.key`)) return;
  throw new Mistake(
    `The key file ${db}.key is missing: put it back beside the database, or give the key by --key-file or AFTERWORD_MASTER_KEY.`,
  );
}

/** Opens the service for one command, beside a running server or alone, and closes it whatever happens. */
export async function withService<T>(
  flags: ServiceFlags,
  terminal: Terminal,
  run: (service: Service) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  checkDatabase(flags, terminal, mayCreate);
  const store = await openStore(flags.db);
  const erasureLog = flags.erasureLog === undefined ? undefined : openErasureLog(flags.erasureLog);
  try {
    const { key } = await masterKey({
      given: terminal.environment["AFTERWORD_MASTER_KEY"],
      keyFile: flags.keyFile,
      database: flags.db,
      store,
    });
    const { service } = await openService({
      store,
      config: { projects: [] },
      clock: terminal.clock,
      masterKey: key,
      erasureLog,
    });
    return await run(service);
  } finally {
    await store.close();
    await erasureLog?.close();
  }
}
