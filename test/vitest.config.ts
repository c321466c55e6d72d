import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type TestProjectConfiguration } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Many tests start programs; from their second start on these need not be compiled. For all that inherit this environment.
process.env["NODE_COMPILE_CACHE"] ??= at("node_modules/.cache/node-compile-cache");

// Packages are tested from their sources, so that a test never sees a stale build.
const alias = [
  { find: /^@afterword\/protocol$/, replacement: at("packages/protocol/src/index.ts") },
  { find: /^@afterword\/protocol\/(.+)$/, replacement: at("packages/protocol/src/$1.ts") },
  { find: /^@afterword\/command-line\/(.+)$/, replacement: at("packages/command-line/src/$1.ts") },
  { find: /^@afterword\/browser$/, replacement: at("packages/browser/src/index.ts") },
  { find: /^@afterword\/browser\/(.+)$/, replacement: at("packages/browser/src/$1.ts") },
  { find: /^@afterword\/react$/, replacement: at("packages/react/src/index.ts") },
  { find: /^@afterword\/react\/(.+)$/, replacement: at("packages/react/src/$1.ts") },
  { find: /^@afterword\/node$/, replacement: at("packages/node/src/index.ts") },
  {
    find: /^@afterword\/node\/(ai-sdk|openai-agents|langgraph|claude-agent-sdk)$/,
    replacement: at("packages/node/src/frameworks/$1.ts"),
  },
  { find: /^@afterword\/node\/(.+)$/, replacement: at("packages/node/src/$1.ts") },
  { find: /^@afterword\/conformance$/, replacement: at("packages/conformance/src/index.ts") },
  { find: /^@afterword\/results$/, replacement: at("packages/results/src/index.ts") },
  { find: /^@afterword\/results\/(.+)$/, replacement: at("packages/results/src/$1.ts") },
  { find: /^@afterword\/dev$/, replacement: at("packages/dev/src/index.ts") },
  { find: /^@afterword\/server$/, replacement: at("packages/server/src/index.ts") },
  { find: /^@afterword\/server\/internal$/, replacement: at("packages/server/src/internal.ts") },
  { find: /^@afterword\/reference-server$/, replacement: at("reference-server/src/index.ts") },
  {
    find: /^@afterword\/reference-server\/node-version$/,
    replacement: at("reference-server/src/store/node-version.ts"),
  },
  { find: /^@afterword\/reference-server\/internal$/, replacement: at("reference-server/src/internal.ts") },
];

// Without the first happy-dom sends a preflight to the real network before msw can answer; the second ends motion at once.
const happyDom = {
  happyDOM: {
    settings: { fetch: { disableSameOriginPolicy: true }, device: { prefersReducedMotion: "reduce" } },
  },
};

const reactIn = (folder: string) =>
  ["react", "react-dom"].map((one) => ({
    find: new RegExp(`^${one}(?=/|$)`),
    replacement: at(`${folder}/node_modules/${one}`),
  }));

/** Threads start in less processor time than processes; tests that change their process or end others need the latter. */
const inThreads = { pool: "threads" } as const;

/** The React package's tests, with the React that lies in a folder. */
const react = (name: string, folder: string): TestProjectConfiguration => {
  const options = {
    ...inThreads,
    environment: "happy-dom",
    environmentOptions: happyDom,
    testTimeout: 20_000,
  };
  const setupFiles = ["happy-dom", "load-parts"].map((one) => at(`packages/react/fixtures/${one}.ts`));
  return {
    ...(project(name, "packages/react/src", { ...options, setupFiles }) as object),
    resolve: { alias: [...alias, ...reactIn(folder)] },
  };
};

/** Stories and engines drive real browsers and databases, started once by setup.ts. */
const real = { globalSetup: at("test/setup.ts"), testTimeout: 60_000, hookTimeout: 60_000 };

const project = (name: string, root: string, options: object = {}): TestProjectConfiguration => ({
  resolve: { alias },
  // A worker reads the sources once, not once per file: no test changes a module.
  test: { name, root: at(root), include: ["**/*.test.{ts,tsx}"], isolate: false, ...options },
});

const browser = { ...inThreads, environment: "happy-dom", environmentOptions: happyDom, testTimeout: 20_000 };

const preact10 = at("packages/browser/preact-10/node_modules/preact");
/** What draws, with the oldest Preact that the browser package works with. */
const browserWithPreact10: TestProjectConfiguration = {
  ...(project("browser-preact-10", "packages/browser/src", {
    ...browser,
    include: ["{ui,thumbs}/*.test.ts", "in-a-test-page.test.ts"],
  }) as object),
  resolve: {
    alias: [
      ...alias,
      { find: /^preact$/, replacement: `${preact10}/dist/preact.mjs` },
      { find: /^preact\/jsx-(dev-)?runtime$/, replacement: `${preact10}/jsx-runtime/dist/jsxRuntime.mjs` },
    ],
  },
};

/** Only where .ci/jobs/frameworks.sh has installed them: the README's commands stay fast without them. */
const frameworks = existsSync(at("test/frameworks/node_modules"))
  ? [
      {
        ...(project("frameworks", "test/frameworks") as object),
        resolve: { alias: [...alias, ...reactIn("test/frameworks")] },
      },
    ]
  : [];

/** Likewise, by .ci/jobs/surroundings.sh. */
const surroundings = existsSync(at("test/surroundings/node_modules"))
  ? [project("surroundings", "test/surroundings", real)]
  : [];

/** Likewise, by .ci/jobs/release.sh. */
const release = process.env["RELEASE_TOOLS"]
  ? ["release", "workflow"].map((name) =>
      project(name, "test/release", {
        include: [`${name}.test.ts`],
        testTimeout: 900_000,
        hookTimeout: 120_000,
      }),
    )
  : [];

/** Likewise, by .ci/jobs/create.sh. */
const createdApps = existsSync(at("test/registry/node_modules"))
  ? [
      project("created-apps", "test/create", {
        globalSetup: at("test/create/registry.ts"),
        testTimeout: 300_000,
        hookTimeout: 120_000,
        // Nothing else is installed meanwhile; vitest runs only isolated files one after the other beside other projects.
        isolate: true,
        fileParallelism: false,
      }),
    ]
  : [];

/** Only in their jobs of `.ci/run`, wherever else their browsers, runtimes and R are installed, too. */
const ofJobs = process.env["JOB_TESTS"]
  ? ["engines", "runtimes", "statistics"].map((name) =>
      project(name, `test/${name}`, { testTimeout: 60_000, hookTimeout: 60_000 }),
    )
  : [];

/** Likewise, by .ci/jobs/site.sh, which builds it. */
const site = existsSync(at("site/dist"))
  ? [project("site", "test/site", { testTimeout: 60_000, hookTimeout: 60_000 })]
  : [];

/** Likewise, by .ci/jobs/second-server.sh. Its limits of rates last for up to a minute. */
const secondServer = process.env["SECOND_SERVER"]
  ? [project("second-server", "test/conformance/second-server", { testTimeout: 120_000 })]
  : [];

/**
 * Files that wait for real clocks, the last version or many processes, or that no change of a single package is likely
 * to break. The test command leaves them out, and .ci/jobs/slow.sh runs them after that.
 */
const slowFiles = {
  architecture: ["regular-expressions.test.ts"],
  conformance: ["held-clients.test.ts", "broken-clients.test.ts"],
  faults: ["rolling-upgrade.test.ts", "slow-clients.test.ts", "export-readers.test.ts"],
  endToEnd: ["running-afterword.test.ts"],
  server: ["commands/results-population.test.ts"],
};
const slow = process.env["SLOW_TESTS"]
  ? [
      project("slow-architecture", "test/architecture", { include: slowFiles.architecture }),
      project("slow-conformance", "test/conformance", { ...real, include: slowFiles.conformance }),
      project("slow-faults", "test/faults", { ...real, include: slowFiles.faults }),
      project("slow-end-to-end", "test/end-to-end", { ...real, include: slowFiles.endToEnd }),
      project("slow-server", "packages/server/src", { testTimeout: 20_000, include: slowFiles.server }),
    ]
  : [];
/** All that stands in a folder but these. */
const without = (files: string[]) => ({ exclude: [...configDefaults.exclude, ...files] });

export default defineConfig({
  root: at("."),
  test: {
    // Many tests wait for a process, a browser or a database, so two more than there are cores.
    maxWorkers: availableParallelism() + 2,
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: at("coverage/results.json") }]]
      : ["default"],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**", "reference-server/src/**"],
      exclude: ["**/*.test.{ts,tsx}"],
    },
    projects: [
      project("protocol", "packages/protocol/src", inThreads),
      project("command-line", "packages/command-line/src", inThreads),
      project("node", "packages/node/src", { testTimeout: 20_000 }),
      project("create", "packages/create-afterword/src", { testTimeout: 20_000 }),
      project("results", "packages/results/src", { ...inThreads, testTimeout: 20_000 }),
      project("dev", "packages/dev/src", { ...inThreads, testTimeout: 20_000 }),
      project("server", "packages/server/src", { testTimeout: 20_000, ...without(slowFiles.server) }),
      project("reference-server", "reference-server/src", { ...inThreads, testTimeout: 20_000 }),
      project("browser", "packages/browser/src", browser),
      browserWithPreact10,
      react("react", "packages/react"),
      react("react-18", "packages/react/react-18"),
      project("examples", "examples", inThreads),
      project("architecture", "test/architecture", without(slowFiles.architecture)),
      project("conformance", "test/conformance", {
        ...real,
        ...without(["second-server/**", ...slowFiles.conformance]),
      }),
      ...slow,
      ...secondServer,
      project("faults", "test/faults", { ...real, ...without(slowFiles.faults) }),
      project("simulation", "test/simulation", { testTimeout: 120_000 }),
      project("alerts", "test/alerts", real),
      project("sinks", "test/sinks", { testTimeout: 60_000, hookTimeout: 60_000 }),
      ...frameworks,
      ...surroundings,
      ...release,
      ...createdApps,
      ...site,
      ...ofJobs,
      project("python", "test/python", { testTimeout: 60_000, hookTimeout: 60_000 }),
      project("images", "test/images", {
        globalSetup: at("test/images/build-images.ts"),
        testTimeout: 60_000,
        // One engine for all; vitest runs only isolated files one after the other beside other projects.
        isolate: true,
        fileParallelism: false,
      }),
      project("end-to-end", "test/end-to-end", { ...real, ...without(slowFiles.endToEnd) }),
    ],
  },
});
