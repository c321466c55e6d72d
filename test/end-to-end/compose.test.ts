import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { ApiClient } from "@afterword/conformance";
import { asOperator, freshPostgres } from "../conformance/postgres-database.ts";
import { openStage } from "../conformance/sink-stage.ts";
import { isFullProof } from "../faults/proof-scale.ts";
import { RoundRobin } from "../faults/round-robin.ts";

// The compose example without Docker: the same program, commands, variables and files, as processes of this machine.

const example = fileURLToPath(new URL("../../examples/compose", import.meta.url));
const program = fileURLToPath(new URL("../../packages/server/dist/cli.js", import.meta.url));
const forwarderProgram = fileURLToPath(new URL("../../packages/node/dist/cli.js", import.meta.url));

interface Service {
  command?: string[];
  healthcheck?: { test: string[] };
  environment?: Record<string, string>;
  volumes?: string[];
}

interface Compose {
  include?: string[];
  configs?: Record<string, { content: string }>;
  services: Record<string, Service>;
}

const read = (file: string) => parse(readFileSync(file, "utf8"), { merge: true }) as Compose;
const { include, services } = read(join(example, "compose.yaml"));
const [included] = include!;
const composeFile = resolve(example, included!);
const { services: ownServices, configs } = read(composeFile);
const nodeServices = Object.entries(ownServices).filter(([name]) => name.startsWith("node-"));

const folder = mkdtempSync(join(tmpdir(), "afterword-compose-"));
const children: ChildProcess[] = [];
/** As the owner of the tables, and as the role of the nodes. */
let database: string;
let nodeDatabase: string;
let proxy: RoundRobin;
let client: ApiClient;

/** What stands at a path inside of a container, on this machine. */
function placeOf(path: string, name: string, { volumes = [] }: Service): string {
  const mount = volumes.map((volume) => volume.split(":")).find(([, target]) => target === path);
  if (mount) return resolve(dirname(composeFile), mount[0]!);
  return path === "/run/secrets/master_key"
    ? join(folder, "master.key")
    : join(folder, `${name}-erasures.jsonl`);
}

function environmentOf(name: string, service: Service): Record<string, string> {
  const given = Object.entries(service.environment!).map(([key, value]) => {
    if (key === "AFTERWORD_DB") return [key, value.includes("//afterword_app:") ? nodeDatabase : database];
    return [key, value.startsWith("/") ? placeOf(value, name, service) : value];
  });
  const ownPorts = { AFTERWORD_HOST: "127.0.0.1", AFTERWORD_PORT: "0", AFTERWORD_ADMIN_PORT: "0" };
  return { ...process.env, ...Object.fromEntries(given), ...ownPorts, AFTERWORD_ADMIN_HOST: "127.0.0.1" };
}

async function startNode([name, service]: [string, Service]): Promise<void> {
  const command = service.command!.map((word) =>
    word.startsWith("/") ? placeOf(word, name, service) : word,
  );
  const child = spawn(process.execPath, [program, ...command, "--json"], {
    env: environmentOf(name, service),
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  proxy.add(url);
  // As the health check of the example's proxy does it.
  child.once("exit", () => proxy.remove(url));
}

/** Runs a command as an operator of the same database would; gives what it prints. */
function runAsOperator(command: string, ...parameters: string[]): string {
  const env = {
    ...process.env,
    AFTERWORD_SERVER: `${process.execPath} ${program}`,
    AFTERWORD_DB: nodeDatabase,
    AFTERWORD_KEY_FILE: join(folder, "master.key"),
  };
  return execFileSync(command, parameters, { env, encoding: "utf8" });
}

beforeAll(async () => {
  database = await freshPostgres(inject("postgresUrl"));
  const url = new URL(database);
  url.username = "afterword_app";
  nodeDatabase = url.href;
  await asOperator(database, (connection) => connection.query(configs!["roles"]!.content));
  writeFileSync(join(folder, "master.key"), "5a".repeat(32));
  const { migrate } = ownServices;
  execFileSync(process.execPath, [program, ...migrate!.command!], {
    env: environmentOf("migrate", migrate!),
  });
  proxy = await RoundRobin.open();
  await Promise.all(nodeServices.map(startNode));
});

afterAll(async () => {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  await Promise.all(running.map((child) => (child.kill("SIGTERM"), once(child, "exit"))));
  await proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the compose example", () => {
  it("has no default password", () => {
    const text = readFileSync(composeFile, "utf8");
    const passwords = [...text.matchAll(/PASSWORD: (.*)|PASSWORD '(.*?)'|:\/\/\w+:(.*?)@/g)];
    expect(passwords).toHaveLength(4);
    for (const [, ...found] of passwords)
      expect(found.find(Boolean)).toMatch(/^\$\{(POSTGRES|APP)_PASSWORD:\?set it, [^}]*\}$/);
  });

  it("has nodes that cannot change a table", async () => {
    const create = asOperator(nodeDatabase, (connection) =>
      connection.query("CREATE TABLE more (id integer)"),
    );
    await expect(create).rejects.toThrow("permission denied");
  });

  it("has three nodes that differ only in their erasure logs", () => {
    expect(nodeServices.map(([name]) => name)).toEqual(["node-1", "node-2", "node-3"]);
    const [first] = nodeServices.map(([, { command, environment }]) => ({ command, environment }));
    for (const [, { command, environment }] of nodeServices) expect({ command, environment }).toEqual(first);
  });

  it("gets a first project and survey by its script, which every node soon knows", async () => {
    const out = runAsOperator("sh", join(example, "setup.sh"));
    const keys = JSON.parse(out) as { publishableKey: string; secretKey: string };
    client = new ApiClient(proxy.url, keys);
    // Limits are on, as in the example, so it is not asked all the time.
    let known = 0;
    for (let tries = 0; known < 6 && tries < 60; tries++) {
      known = (await client.bootstrap("a-person")).json.showTokens?.satisfaction ? known + 1 : 0;
      if (known === 0) await delay(500);
    }
    expect(known).toBe(6);
  });

  // Nodes learn of it by the same look as of a project, above.
  it.runIf(isFullProof)(
    "refuses a revoked key on every node within a minute",
    { timeout: 150_000 },
    async () => {
      const administer = (...words: string[]) =>
        JSON.parse(runAsOperator(process.execPath, program, ...words, "--json"));
      const added = administer("key", "create", "shop", "secret") as { id: string; key: string };
      const holder = new ApiClient(proxy.url, { ...client.keys, secretKey: added.key });
      const statuses = async () =>
        [await holder.export(), await holder.export(), await holder.export()].map(({ status }) => status);
      const until = async (wanted: number) => {
        const startedAt = performance.now();
        while ((await statuses()).some((status) => status !== wanted)) await delay(1000);
        return performance.now() - startedAt;
      };
      await until(200);
      administer("key", "revoke", added.id, "--yes");
      expect(await until(401)).toBeLessThan(60_000);
      expect((await client.export()).status).toBe(200);
    },
  );

  it("has a forwarder that delivers, and whose health check fails when nobody answers", async () => {
    await client.answer("satisfaction", "a-person");
    const phoenix = await openStage(() => ({ status: 200, body: { data: [{ id: "U2Vzc2lvbjox" }] } }));
    const { command, environment, healthcheck } = services["forwarder"]!;
    const words = command!.map((word) => (word === "9465" ? "0" : word));
    const variables = {
      ...environment,
      AFTERWORD_BASE_URL: proxy.url,
      AFTERWORD_SECRET_KEY: client.keys.secretKey,
      PHOENIX_BASE_URL: phoenix.url,
      PHOENIX_API_KEY: "",
    };
    const child = spawn(process.execPath, [forwarderProgram, "forward", ...words], {
      env: variables,
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.push(child);
    const [line] = (await once(createInterface(child.stderr!), "line")) as [string];
    const url = line.split(" on ")[1]!;
    const [, , ...check] = healthcheck!.test.map((word) => word.replace("http://127.0.0.1:9465", url));
    const isHealthy = async () => (await once(spawn(process.execPath, check), "exit"))[0] === 0;
    while ((await client.drain()).length > 0) await delay(100);
    expect(await isHealthy()).toBe(true);
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(await isHealthy()).toBe(false);
    await phoenix.close();
  });
});
