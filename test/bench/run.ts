import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
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
import {
  forwarderPanels,
  httpPanels,
  langfusePanels,
  loopPanels,
  resultsPanels,
  submitPanels,
} from "./panels.ts";
import { startPostgres } from "../postgres.ts";
import { saveFigures } from "./saved-figures.ts";
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
    saveFigures(
      "http",
      "Requests beside an echo that does nothing else",
      httpPanels([bootstrap, mint, submit]),
    );
    saveFigures("submits", "Submits beside one commit per request", submitPanels(submit));
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
    const figures = [onSqlite, await of(postgres.url)];
    print(resultsTable(figures));
    const title = `Results of ${largeQueue.toLocaleString("en")} answers`;
    saveFigures(`results-${largeQueue}`, title, resultsPanels(figures));
  } finally {
    delete process.env["AFTERWORD_KEY_FILE"];
    await postgres.stop();
  }
}

async function benchWholeLoops(): Promise<void> {
  const figures = await benchLoops(config, join(folder, "loops.db"));
  print(loopLines(figures));
  saveFigures("loops", "Whole loops on one core", loopPanels(figures));
}

async function benchForwarding(): Promise<void> {
  const { benchForwarder } = await import("./forwarder.ts");
  const figures = await benchForwarder(config, folder, print);
  saveFigures("forwarder", "The forwarder beside a plain loop", forwarderPanels(figures));
}

async function benchOfficialClient(): Promise<void> {
  const { benchLangfuse } = await import("./langfuse.ts");
  const figures = await benchLangfuse(print);
  saveFigures("langfuse", "The forwarder beside the client of Langfuse", langfusePanels(figures));
}

const sections: Readonly<Record<string, () => Promise<void>>> = {
  http: benchHttp,
  scale: benchScale,
  again: benchAskingAgain,
  facts: benchRunFacts,
  adapters: async () => print(adaptersTable(await benchAdapters())),
  thumbs: async () => print(await benchThumbs()),
  telemetry: benchTelemetryCost,
  loops: benchWholeLoops,
  results: benchResultsOfBoth,
  forwarder: benchForwarding,
  langfuse: benchOfficialClient,
};

const { positionals } = parseArgs({ allowPositionals: true, options: { save: { type: "boolean" } } });
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(sections)) {
    const run = sections[name];
    if (!run) throw new Error(`No section ${name}: choose from ${Object.keys(sections).join(", ")}.`);
    await run();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
