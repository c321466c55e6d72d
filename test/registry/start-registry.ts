import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../free-port.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("node_modules/verdaccio/bin/verdaccio", import.meta.url));

export interface Registry extends AsyncDisposable {
  /** With a trailing slash, as `npm_config_registry` takes it. */
  url: string;
  /** Publishes packed packages, each with its dist-tag `latest`. @throws what npm printed */
  publish(tarballs: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Packages of the project come from here alone, all others from the registry that npm is set to. */
const configOf = (folder: string, upstream: string) => ({
  storage: join(folder, "storage"),
  uplinks: { upstream: { url: upstream, maxage: "1h", timeout: "60s" } },
  packages: {
    "@afterword/*": { access: "$all", publish: "$all" },
    "create-afterword": { access: "$all", publish: "$all" },
    "**": { access: "$all", proxy: "upstream" },
  },
  web: { enable: false },
  max_body_size: "100mb",
  log: { type: "stdout", format: "pretty", level: "error" },
});

/**
 * Starts a registry on a free port of 127.0.0.1, with its data in a temporary folder that `stop` removes. Needs
 * `npx -y pnpm@12 --dir test/registry install --frozen-lockfile`.
 */
export async function startRegistry(): Promise<Registry> {
  const upstream = (await run("npm", ["config", "get", "registry"])).stdout.trim();
  const folder = mkdtempSync(join(tmpdir(), "afterword-registry-"));
  const config = join(folder, "config.yaml");
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(configOf(folder, upstream)));
  const host = `127.0.0.1:${await freePort()}`;
  const url = `http://${host}/`;
  const child = spawn(process.execPath, [program, "--config", config, "--listen", host], {
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
  while (!(await fetch(`${url}-/ping`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`The registry ended with exit code ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    async publish(tarballs) {
      // npm refuses to publish without a token; this registry accepts any.
      const flags = ["--registry", url, `--//${host}/:_authToken=any`, "--tag", "latest"];
      for (const tarball of tarballs) await run("npm", ["publish", tarball, ...flags]);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
