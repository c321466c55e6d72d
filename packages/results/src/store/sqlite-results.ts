import { setImmediate as nextTurn } from "node:timers/promises";
import { type CompiledQuery } from "kysely";
import { QueryConnection } from "./query-connection.ts";
import {
  type Connection,
  openReader,
  type OpenSqlite,
  withStoreErrors,
} from "@afterword/reference-server/internal";
import { measuredAnswers } from "./measured-answers.ts";
import { type ResultsStore } from "./results-reader.ts";
import { resultsReader } from "./results-queries.ts";

const rowsAtOnce = 1000;

/** Other work of the process has its turn between two parts. */
async function* rowsOf(
  connection: Connection,
  { sql, parameters }: CompiledQuery,
): AsyncGenerator<unknown[][]> {
  let rows: unknown[][] = [];
  const selected = connection.prepare<unknown[], unknown[]>(sql).raw();
  for (const row of selected.iterate(...parameters)) {
    rows.push(row);
    if (rows.length < rowsAtOnce) continue;
    yield rows;
    rows = [];
    await nextTurn();
  }
  yield rows;
}

/** Results of a SQLite database that is open. */
export function sqliteResults({ path, connection }: Pick<OpenSqlite, "path" | "connection">): ResultsStore {
  const queries = new QueryConnection(connection);
  return {
    /** On a connection of its own, whose transaction keeps to one state while others write. */
    async readResults(work) {
      const reader = await withStoreErrors(() => openReader(path));
      try {
        reader.exec("BEGIN");
        const own = new QueryConnection(reader);
        return await work(resultsReader(own.read.bind(own), (query) => rowsOf(reader, query)));
      } finally {
        reader.close();
      }
    },
    measuredAnswers: (selection) => measuredAnswers((work) => queries.read(work), selection),
  };
}
