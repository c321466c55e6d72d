import { type IForbiddenRuleType } from "dependency-cruiser";
import protocol from "../../packages/protocol/package.json" with { type: "json" };

/** Tests may reach for what the code beside them may not. */
const tests = "\\.(test|suite|fixture)\\.tsx?$";

/** The files of the protocol without zod, each an entry point of its own. */
const plainTables = Object.keys(protocol.exports)
  .filter((name) => name !== ".")
  .map((name) => name.replace("./", ""));

const tablePaths = `^packages/protocol/src/(${plainTables.join("|")})\\.ts$`;

const server = "^reference-server/src/";
/** The folders of the reference server, from the ground up. The program and the files beside them are on top, but for `events.ts`. */
const serverFolders = ["store", "domain", "administration", "config", "limits", "http", "endpoints"];

const operatedServer = "^packages/server/src/";
/** The folders of the operated server, from the ground up. The entry points beside them are on top. */
const operatedServerFolders = [
  "store",
  "sqlite",
  "audit",
  "administration",
  "log",
  "postgres",
  "health",
  "metrics",
  "program",
  "commands",
];

const nodePackage = "^packages/node/src/";
/** The folders of the node package, from the ground up. The entry points beside them are on top. */
const nodeFolders = [
  "errors",
  "options",
  "http",
  "queue",
  "scores",
  "delivery",
  "sinks",
  "privacy",
  "client",
  "mint",
  "frameworks",
  "respondent",
  "commands",
];

const browserPackage = "^packages/browser/src/";
/** The folders of the browser package, from the ground up. The entry points beside them are on top. */
const browserFolders = [
  "core/page",
  "core/public",
  "core/explain",
  "core/context",
  "core/outbox",
  "core/asking",
  "core/rating",
  "core/client",
  "headless",
  "element",
  "texts",
  "ui",
  "thumbs",
  "ask",
];

/** The import rules of the drawing in CONTRIBUTING.md. A rule's `comment` is the title of its test. */
export const importRules: (IForbiddenRuleType & { name: string; comment: string })[] = [
  {
    name: "no-cycles",
    comment: "in the packages for browsers, servers and new apps not even a type is imported by a detour",
    from: { path: "^packages/(browser|node|create-afterword|command-line)/src/", pathNot: tests },
    to: { circular: true },
  },
  {
    name: "entry-points",
    comment: "a package is imported only through its entry points",
    from: { path: "^(packages/[^/]+|reference-server)/src/" },
    to: { path: "^(packages/[^/]+|reference-server)/(src|dist)/", pathNot: ["^$1/", ...entryPoints()] },
  },
  {
    name: "outside-uses-entry-points",
    comment: "test/ and examples/ use public entry points only, but for the simulation",
    // It replaces all I/O within a process, so it joins cores that are no entry points.
    from: { path: "^(test|examples)/", pathNot: "^test/simulation/" },
    to: { path: "^(packages/[^/]+|reference-server)/(src|dist)/", pathNot: entryPoints() },
  },
  {
    name: "protocol-is-the-ground",
    comment: "protocol imports zod and nothing else",
    from: { path: "^packages/protocol/src/", pathNot: tests },
    to: { pathNot: ["^packages/protocol/", "/zod/"] },
  },
  {
    name: "tables-without-zod",
    comment: "the plain tables of protocol that a browser may import import only each other, and no zod",
    from: { path: tablePaths },
    to: { pathNot: tablePaths, dependencyTypesNot: ["type-only"] },
  },
  {
    name: "browser-takes-types",
    comment: "browser imports protocol as types, or its plain tables",
    from: { path: "^packages/browser/src/", pathNot: tests },
    to: { path: "^packages/protocol/src/index\\.ts$", dependencyTypesNot: ["type-only"] },
  },
  {
    name: "browser-is-light",
    comment: "browser brings no library but Preact",
    from: { path: "^packages/browser/src/", pathNot: tests },
    to: { path: "node_modules", pathNot: "/preact/" },
  },
  {
    name: "core-without-preact",
    comment: "only what draws imports Preact",
    from: { path: "^packages/browser/src/", pathNot: "src/(ui|thumbs|ask)/|src/preact-script\\.ts$" },
    to: { path: "/preact/" },
  },
  ...layers("browser", "the browser package's", browserPackage, browserFolders),
  {
    name: "core-folders-have-one-entry",
    comment:
      "a folder of browser/core is imported through its index.ts; only files that load later, by their names",
    from: { path: `${browserPackage}(core/[^/]+|)`, pathNot: tests },
    to: {
      path: `${browserPackage}core/`,
      pathNot: [`${browserPackage}$1/`, `${browserPackage}core/[^/]+/index\\.ts$`],
      dynamic: false,
    },
  },
  {
    name: "react-is-light",
    comment: "react brings no library but react itself and the browser package",
    from: { path: "^packages/react/src/", pathNot: tests },
    to: {
      pathNot: [
        "^packages/react/src/",
        "^packages/browser/",
        "^packages/protocol/src/(index|handed-over-run)",
        "/react/",
      ],
    },
  },
  {
    name: "create-stands-alone",
    comment: "create-afterword brings nothing but its prompts, and imports command-line alone of the project",
    from: { path: "^packages/create-afterword/src/", pathNot: tests },
    to: {
      pathNot: ["^packages/(create-afterword/(src/|package\\.json$)|command-line/)", "/@clack/"],
      dependencyTypesNot: ["core"],
    },
  },
  ...layers("node", "the node package's", nodePackage, nodeFolders),
  {
    name: "sinks-know-the-seam",
    comment: "a sink knows scores and their targets, never the delivery loop",
    from: { path: `${nodePackage}sinks/`, pathNot: tests },
    to: { path: [`${nodePackage}delivery/`, `${nodePackage}queue/`] },
  },
  {
    name: "server-is-the-core",
    comment: "the reference server imports protocol alone, and its program command-line",
    from: { path: server, pathNot: [tests, `${server}(cli\\.ts$|program/)`] },
    to: { path: "^packages/(?!protocol/)" },
  },
  {
    name: "programs-share-command-line",
    comment: "command-line is for programs: their cli.ts and their folder of commands",
    from: {
      path: "^(packages/[^/]+|reference-server)/src/",
      pathNot: [tests, "^packages/command-line/", "src/cli\\.ts$", "src/(commands|program)/"],
    },
    to: { path: "^packages/command-line/" },
  },
  below("command-line", "(?!command-line/)"),
  below("results", "(dev|server|node|browser)/"),
  below("dev", "server/"),
  ...layers("server", "the reference server's", server, serverFolders, [`${server}events\\.ts$`]),
  ...layers("operated-server", "the operated server's", operatedServer, operatedServerFolders),
  {
    name: "domain-without-libraries",
    comment: "the server's domain knows the store's interface, and neither hono nor SQL",
    from: { path: `${server}domain/`, pathNot: tests },
    to: {
      path: [`${server}store/`, "/(hono|better-sqlite3|kysely|pg)/"],
      pathNot: `${server}store/(store|project)\\.ts$`,
    },
  },
  {
    name: "endpoints-call-the-domain",
    comment:
      "the server's endpoints know the handler types of http and its buffer for exports, and reach a store only through the domain",
    from: { path: `${server}endpoints/`, pathNot: tests },
    to: {
      path: [`${server}(http|store)/`, "/(hono|better-sqlite3|kysely|pg)/"],
      pathNot: [`${server}http/(handlers|buffered-text)\\.ts$`, `${server}store/store\\.ts$`],
    },
  },
  {
    name: "core-without-postgres",
    comment: "the reference server knows SQLite alone",
    from: { path: server },
    to: { path: "/(pg|@types/pg)/" },
  },
  {
    name: "one-file-knows-postgres",
    comment: "of the operated server, only open-store knows which kind of database there is",
    from: { path: operatedServer, pathNot: [`${operatedServer}postgres/`, tests] },
    to: { path: `${operatedServer}postgres/`, pathNot: `${operatedServer}postgres/open-store\\.ts$` },
  },
];

/** A package below others imports nothing of them. */
function below(name: string, others: string) {
  return {
    name: `${name}-below-others`,
    comment: `${name} imports nothing of the packages above it`,
    from: { path: `^packages/${name}/src/` },
    to: { path: `^packages/${others}` },
  };
}

/** One rule per folder: it imports only folders below it, so that no folder imports itself by a detour. */
function layers(name: string, whose: string, root: string, folders: string[], ground: string[] = []) {
  return folders.map((folder, index) => ({
    name: `${name}-${folder}`,
    comment: `${whose} ${folder} import nothing above: ${folders.slice(0, index).join(", ") || "no other folder"} only`,
    from: { path: `${root}${folder}/`, pathNot: tests },
    to: {
      path: root,
      pathNot: [...ground, ...folders.slice(0, index + 1).map((below) => `${root}${below}/`)],
    },
  }));
}

/** The files that a package opens to the others. */
function entryPoints(): string[] {
  return [
    `^packages/protocol/src/(index|${plainTables.join("|")})\\.ts$`,
    "^packages/conformance/src/index\\.ts$",
    "^packages/browser/src/(index|headless|thumbs)\\.ts$",
    "^packages/react/src/(index|ai-sdk|assistant-ui)\\.ts$",
    "^packages/node/src/(index|forwarder|terminal|frameworks/(ai-sdk|openai-agents|langgraph|claude-agent-sdk))\\.ts$",
    "^packages/server/src/(index|internal)\\.ts$",
    "^packages/command-line/src/[^/]+\\.ts$",
    "^packages/dev/src/index\\.ts$",
    "^packages/results/src/(index|store)\\.ts$",
    // All but index.ts are for packages/server, results and dev, until the store has fewer methods (2026-11-27).
    "^reference-server/src/(index|internal|store/node-version)\\.ts$",
  ];
}
