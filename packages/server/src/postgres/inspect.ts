import { sql } from "kysely";
import { type Queries } from "@afterword/results/store";
import { finding, type Finding } from "../store/administration.ts";
import { migrations } from "./migrations.ts";

const mebibyte = 1024 * 1024;
const mostBusyShare = 0.8;

interface Settings {
  server: string;
  name: string;
  version: number;
  synchronousCommit: string;
  fsync: string;
  fullPageWrites: string;
  checksums: string;
  bytes: number;
  connections: number;
  maxConnections: number;
  oldTransactions: number;
}

const question = sql<Settings>`
  SELECT current_setting('server_version') AS server, current_database() AS name,
    (SELECT version FROM schema_version) AS version, current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
    current_setting('data_checksums') AS checksums, pg_database_size(current_database()) AS bytes,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    current_setting('max_connections')::integer AS "maxConnections",
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start < now() - interval '1 hour')
      AS "oldTransactions"`;

const lossy = "Switch it on: until then a crash can take back acknowledged answers.";

export async function inspect(queries: Queries): Promise<Finding[]> {
  const settings = (await question.execute(queries)).rows[0]!;
  const { version, synchronousCommit, fsync, fullPageWrites, checksums, oldTransactions } = settings;
  const { connections, maxConnections } = settings;
  const size = `${Math.round(settings.bytes / mebibyte)} MiB`;
  const migrate = "Start this version of the server once: it migrates.";
  const addChecksums = "Run `pg_checksums --enable` while the database is down.";
  const fewer = "Lower pool_size in the database URL of the servers, or raise max_connections.";
  const endThem = "End them: erased text cannot be removed while they run. pg_stat_activity lists them.";
  const isBusy = connections > mostBusyShare * maxConnections;
  return [
    // Opening refuses databases that cannot be used, so what is open is good.
    finding("database", true, `PostgreSQL ${settings.server}, ${settings.name}, ${size}`),
    finding("schema version", version >= migrations.length, version, migrate),
    finding("synchronous_commit", synchronousCommit !== "off", synchronousCommit, lossy),
    finding("fsync", fsync === "on", fsync, lossy),
    finding("full_page_writes", fullPageWrites === "on", fullPageWrites, lossy),
    finding("data checksums", checksums === "on", checksums, addChecksums),
    finding("connections", !isBusy, `${connections} of ${maxConnections}`, fewer),
    finding("transactions older than an hour", oldTransactions === 0, oldTransactions, endThem),
  ];
}
