/** One proof: tests of vitest, or a program whose exit code is 0 when it has found nothing. */
export interface Proof {
  /** Names its record and `--only`. */
  name: string;
  /** For the page: what holds when it passes. */
  shows: string;
  command: string[];
  environment?: Record<string, string>;
}

const full = { AFTERWORD_PROOFS: "full" };

/** A run of vitest. */
export const tests = (...given: string[]) => [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--config",
  "test/vitest.config.ts",
  ...given,
];

/** Twelve routes: a million and eight thousand requests. */
const requestsPerRoute = 84_000;

export const proofs: Proof[] = [
  {
    name: "faults",
    shows: "nothing acknowledged is lost when processes are killed, disks run full and clients stall",
    command: tests("--project", "faults", "--project", "slow-faults"),
    environment: { ...full, SLOW_TESTS: "1" },
  },
  {
    name: "contract",
    shows:
      "SQLite and PostgreSQL keep the contract, every planted fault fails its clause, and our clients pass the kit",
    command: tests("--project", "conformance", "--project", "slow-conformance"),
    environment: { ...full, SLOW_TESTS: "1" },
  },
  {
    name: "pages",
    shows:
      "widgets in Chromium, in hostile pages too; and keys, tokens and texts in no log, metric, bundle or source map",
    command: tests("--project", "end-to-end", "--project", "slow-end-to-end"),
    environment: { ...full, SLOW_TESTS: "1" },
  },
  {
    name: "engines",
    shows: "widgets in Firefox and WebKit, in hostile pages too",
    command: tests("--project", "engines"),
    environment: { JOB_TESTS: "1" },
  },
  {
    name: "statistics",
    shows: "intervals and alarms have the coverage that they claim",
    command: tests("--project", "results", "--project", "slow-server", "statistics/", "results-population"),
    environment: { ...full, SLOW_TESTS: "1" },
  },
  {
    name: "statistics-in-r",
    shows: "intervals by person equal those of R's survey package",
    command: tests("--project", "statistics"),
    environment: { JOB_TESTS: "1" },
  },
  {
    name: "expressions",
    shows: "each regular expression takes time in proportion to its text, or reads only short texts",
    command: tests("--project", "slow-architecture"),
    environment: { SLOW_TESTS: "1" },
  },
  {
    name: "mutation",
    shows: "the tests notice at least 85 % of the faults in the rules",
    command: ["test/mutation/run.ts"],
  },
  {
    name: "requests",
    shows: "a million requests made from the description of the HTTP interface are answered as it says",
    command: tests("--project", "conformance", "api-on-sqlite", "-t", "made at random"),
    environment: { AFTERWORD_REQUESTS_PER_ROUTE: String(requestsPerRoute) },
  },
  {
    name: "simulation",
    shows: "ten million steps of the simulated world break no rule",
    command: ["test/simulation/main.ts", "--steps", "10000000"],
  },
  {
    name: "planted-faults",
    shows: "the simulation finds the faults that are planted in it",
    command: ["test/simulation/main.ts", "--faults", "--jobs", "2"],
  },
];
