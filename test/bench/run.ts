import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adaptersTable, benchAdapters } from "./adapters.ts";
import { withSecretKeys, writeBenchConfig } from "./bench-config.ts";
import { startBareCommit, startBuiltServer, startSingleCommit } from "./child-server.ts";
import { benchBootstrap, benchMint, benchSubmit } from "./http-scenarios.ts";
import { benchEarlierRuns, benchRunTables, earlierRunsConfig } from "./earlier-runs-scenarios.ts";
import {
  earlierRunsTable,
  exportLine,
  factsLine,
  httpTable,
  loopLines,
  queueLines,
  resultsTable,
  runTableLine,
  submitLine,
  telemetryTable,
} from "./report.ts";
import { benchFacts, factsConfig } from "./facts-scenarios.ts";
import { benchLoops } from "./loops.ts";
import { benchResults } from "./results-scenarios.ts";
import { startPostgres } from "../postgres.ts";
import { benchExport, benchQueues } from "./scale-scenarios.ts";
import { benchThumbs } from "./thumbs.ts";
import { benchTelemetry } from "./telemetry-scenarios.ts";

/** Per round and path; twenty rounds of each, the echo's between them. */
const requests = Number(process.env["BENCH_REQUESTS"] ?? 3000);
const largeQueue = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const smallQueue = 1000;

const folder = mkdtempSync(join(tmpdir(), "afterword-bench-"));
const config = join(folder, "config.json");
writeBenchConfig(config);

const print = (text: string) => void process.stdout.write(`${text}\n\n`);
async function benchHttp(): Promise<void> {
  const server = withSecretKeys(await startBuiltServer(config, join(folder, "http.db")));
  const singleCommit = withSecretKeys(await startSingleCommit(config, join(folder, "single.db")));
  const bareCommit = await startBareCommit(join(folder, "bare.db"));
  try {
    const bootstrap = await benchBootstrap(server, requests);
    const mint = await benchMint(server, requests);
    const submit = await benchSubmit({ server, singleCommit, bareCommit }, requests);
    print(httpTable([bootstrap, mint, submit]));
    print(submitLine(submit));
  } finally {
    await server.stop();
    await singleCommit.stop();
    await bareCommit.stop();
  }
}

async function benchScale(): Promise<void> {
  const large = join(folder, "large.db");
  const sizes: [string, number][] = [
    [join(folder, "small.db"), smallQueue],
    [large, largeQueue],
  ];
  const [small, big] = await benchQueues(config, sizes);
  print(queueLines(small!, big!));
  print(exportLine(await benchExport(config, large, largeQueue)));
}

async function benchAskingAgain(): Promise<void> {
  const ownConfig = join(folder, "earlier-runs.json");
  writeFileSync(ownConfig, JSON.stringify(earlierRunsConfig));
  print(earlierRunsTable(await benchEarlierRuns(ownConfig, join(folder, "people.db"), requests)));
  const sizes: [string, number][] = [
    [join(folder, "few-runs.db"), 1000],
    [join(folder, "many-runs.db"), largeQueue],
  ];
  print(runTableLine(await benchRunTables(ownConfig, sizes, requests)));
}

async function benchRunFacts(): Promise<void> {
  const ownConfig = join(folder, "facts.json");
  writeFileSync(ownConfig, JSON.stringify(factsConfig));
  print(factsLine(await benchFacts(ownConfig, join(folder, "facts.db"), requests)));
}

async function benchTelemetryCost(): Promise<void> {
  print(telemetryTable(await benchTelemetry(config, (name) => join(folder, name), requests)));
}

async function benchResultsOfBoth(): Promise<void> {
  const page = join(folder, "results.html");
  const of = (database: string) => benchResults(config, database, page, largeQueue, requests);
  const onSqlite = await of(join(folder, "results.db"));
  const postgres = await startPostgres({ fsync: "on" });
  process.env["AFTERWORD_KEY_FILE"] = join(folder, "master.key");
  writeFileSync(process.env["AFTERWORD_KEY_FILE"], "5a".repeat(32), { mode: 0o600 });
  try {
    print(resultsTable([onSqlite, await of(postgres.url)]));
  } finally {
    delete process.env["AFTERWORD_KEY_FILE"];
    await postgres.stop();
  }
}

const only = process.argv[2];
try {
  if (only === undefined || only === "http") await benchHttp();
  if (only === undefined || only === "scale") await benchScale();
  if (only === undefined || only === "again") await benchAskingAgain();
  if (only === undefined || only === "facts") await benchRunFacts();
  if (only === undefined || only === "adapters") print(adaptersTable(await benchAdapters()));
  if (only === undefined || only === "thumbs") print(await benchThumbs());
  if (only === undefined || only === "telemetry") await benchTelemetryCost();
  if (only === undefined || only === "loops")
    print(loopLines(await benchLoops(config, join(folder, "loops.db"))));
  if (only === undefined || only === "results") await benchResultsOfBoth();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
