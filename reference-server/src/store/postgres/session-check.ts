import { type ClientBase } from "pg";
import { UnsafeDatabase } from "./unsafe-database.ts";

/** The oldest version that the suites were run on. */
const oldestPostgres = 150_000;

interface Session {
  version: number;
  encoding: string;
  fsync: string;
  synchronousCommit: string;
  fullPageWrites: string;
  isStandby: boolean;
}

const question = `
  SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('full_page_writes') AS "fullPageWrites", pg_is_in_recovery() AS "isStandby"`;

function unsuitability({ version, encoding, isStandby }: Session): string | undefined {
  if (version < oldestPostgres) return `PostgreSQL ${oldestPostgres / 10_000} or newer is needed.`;
  if (encoding !== "UTF8") return `its encoding is ${encoding}; create it with ENCODING 'UTF8'.`;
  if (isStandby) return "it is a standby, which cannot be written to; connect to the primary.";
  return undefined;
}

function lossOfCommits({ fsync, synchronousCommit, fullPageWrites }: Session): string | undefined {
  // Every other value has the commit on this server's disk before it is acknowledged.
  if (synchronousCommit === "off") return "synchronous_commit is off";
  if (fsync !== "on") return "fsync is off";
  return fullPageWrites === "on" ? undefined : "full_page_writes is off";
}

/** Asked on each new connection, since roles and restarts can change the answer. */
export async function checkSession(client: ClientBase, allowUnsafeDurability: boolean): Promise<void> {
  const { rows } = await client.query<Session>(question);
  const session = rows[0]!;
  const fault = unsuitability(session);
  if (fault) throw new UnsafeDatabase(`This PostgreSQL database cannot be used: ${fault}`);
  const loss = allowUnsafeDurability ? undefined : lossOfCommits(session);
  if (!loss) return;
  throw new UnsafeDatabase(
    `${loss} in PostgreSQL: a crash would take back answers that were acknowledged. Switch it on, ` +
      "or add durability=unsafe to the database URL where losing them is fine, as in tests.",
  );
}
