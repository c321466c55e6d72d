import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("node_modules/.bin/", import.meta.url));

export interface PackageManager {
  name: string;
  /** Installs packages by name into the current project. */
  install(packages: readonly string[]): string[];
  /** Runs a program of an installed package. */
  run(...words: string[]): string[];
  /** Runs `create`, given what follows that word in npm's own command. */
  create(...words: string[]): string[];
  /** Runs a file of the project in Node, which finds the installed packages. */
  node(file: string): string[];
}

const { execPath } = process;
/** Which npm alone needs. */
const isNoSeparator = (word: string) => word !== "--";

/** As people have them: Yarn in its own way, without a folder of installed packages. */
export const packageManagers: readonly PackageManager[] = [
  {
    name: "npm",
    install: (packages) => [join(bin, "npm"), "install", "--no-audit", "--no-fund", ...packages],
    run: (...words) => [join(bin, "npm"), "exec", "--no", "--", ...words],
    create: (...words) => [join(bin, "npm"), "create", ...words],
    node: (file) => [execPath, file],
  },
  {
    name: "pnpm",
    install: (packages) => [join(bin, "pnpm"), "add", ...packages],
    run: (...words) => [join(bin, "pnpm"), "exec", ...words],
    create: (...words) => [join(bin, "pnpm"), "create", ...words.filter(isNoSeparator)],
    node: (file) => [execPath, file],
  },
  {
    name: "bun",
    install: (packages) => [join(bin, "bun"), "add", ...packages],
    run: (...words) => [join(bin, "bun"), "run", ...words],
    create: (...words) => [join(bin, "bun"), "create", ...words.filter(isNoSeparator)],
    node: (file) => [execPath, file],
  },
  {
    name: "yarn",
    install: (packages) => [join(bin, "yarn"), "add", ...packages],
    run: (...words) => [join(bin, "yarn"), "run", ...words],
    create: (...words) => [join(bin, "yarn"), "create", ...words.filter(isNoSeparator)],
    node: (file) => [join(bin, "yarn"), "node", file],
  },
];

/**
 * The environment in which all of them install from one registry, with caches of their own: a cache may hold other packages of
 * the same versions. What was published a moment ago is too young for some of them.
 */
export function installing(registry: string, caches: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm|yarn|bun)_/i.test(name));
  return {
    ...Object.fromEntries(own),
    PATH: `${bin}:${process.env["PATH"]}`,
    npm_config_registry: registry,
    npm_config_cache: join(caches, "npm"),
    // Whether it may fetch the program of `npm create`.
    npm_config_yes: "true",
    pnpm_config_registry: registry,
    pnpm_config_store_dir: join(caches, "pnpm"),
    pnpm_config_minimum_release_age: "0",
    BUN_CONFIG_REGISTRY: registry,
    BUN_INSTALL_CACHE_DIR: join(caches, "bun"),
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_NPM_MINIMAL_AGE_GATE: "0",
    YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
    YARN_GLOBAL_FOLDER: join(caches, "yarn"),
    YARN_ENABLE_TELEMETRY: "0",
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    CI: "true",
  };
}
