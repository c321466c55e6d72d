import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { type ServerConfig } from "@afterword/server";
import { type Plugin } from "esbuild";
import { afterAll, describe, expect, inject, it } from "vitest";
import { apiSuite, nodesParts } from "../conformance/api.suite.ts";
import { ApiClient, type Extension, type Reply } from "@afterword/conformance";
import { type ApiWorld } from "../conformance/api/api-world.ts";
import { keysOf, project, survey } from "../conformance/api/projects.ts";
import { asOperator, freshPostgres } from "../conformance/postgres-database.ts";
import { bundleOnce, keep } from "./bundle-once.ts";
import { NodeProcess } from "./node-process.ts";
import { isFullProof } from "./proof-scale.ts";
import { RoundRobin } from "./round-robin.ts";
import { sharedClock } from "./shared-clock.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Extensions that the last version does not have. */
const lacks: Extension[] = ["thumbs", "token-answers"];

/** Packed by last-version/pack.ts. */
const lastVersion = keep(
  brotliDecompressSync(readFileSync(at("last-version/server-node.mjs.br"))),
  "last-version",
  "packages/server",
);

/** The sources with one more migration, as the next release may have one. */
const nextMigration = (sql: string, oldest: string): Plugin => ({
  name: "next-migration",
  setup(build) {
    build.onLoad({ filter: /packages\/server\/src\/postgres\/migrations\.ts$/ }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8")}\n(migrations as Migration[]).push({ oldest: ${oldest}, sql: ${JSON.stringify(sql)} });`,
      loader: "ts",
    }));
  },
});

const additive = `
  ALTER TABLE projects ADD COLUMN added text;
  ALTER TABLE keys ADD COLUMN added text NOT NULL DEFAULT 'a';
  ALTER TABLE surveys ADD COLUMN added text NOT NULL DEFAULT 'a';
  ALTER TABLE responses ADD COLUMN added text NOT NULL DEFAULT 'a';
  ALTER TABLE dismissals ADD COLUMN added bigint NOT NULL DEFAULT 1;
  ALTER TABLE suppression ADD COLUMN added text;
  ALTER TABLE asks ADD COLUMN added text NOT NULL DEFAULT 'a';
  ALTER TABLE spent_tokens ADD COLUMN added text;
  ALTER TABLE run_counts ADD COLUMN added text;
  CREATE TABLE added (project_id text PRIMARY KEY)`;
/** The version of the sources, which is at least that of the last version. */
const versionBefore = "migrations.length";

const nextVersion = bundleOnce(at("node-program.ts"), "packages/server", [
  nextMigration(additive, versionBefore),
]);

/** Two nodes of the last version, and then two of the next, on one PostgreSQL and behind one proxy. */
async function openRollingWorld(server: string): Promise<ApiWorld> {
  const database = await freshPostgres(server);
  const clock = sharedClock();
  return {
    database,
    clock,
    async start(config) {
      const proxy = await RoundRobin.open();
      const projects = config.projects.map((project) => ({
        ...project,
        surveys: project.surveys!.map(({ thumbs: _, ...survey }) => survey),
      }));
      const order = { database, config: { ...config, projects }, clockFile: clock.file };
      const nodes: NodeProcess[] = [];
      for (const file of [lastVersion, lastVersion, await nextVersion, await nextVersion]) {
        nodes.push(await NodeProcess.startVersion(file, order));
        proxy.add(nodes.at(-1)!.url);
      }
      const stop = async () => {
        await Promise.all(nodes.map((node) => node.stop()));
        await proxy.close();
      };
      return { baseUrl: proxy.url, projects: nodes[0]!.started.projects, stop };
    },
    dispose: async () => clock.close(),
  };
}

apiSuite(
  "by two nodes of the last version and two of the next, on one PostgreSQL",
  () => openRollingWorld(inject("postgresUrl")),
  isFullProof
    ? { lacks, without: ["limits", "hostile", "restart", "runCounts", "extensions"] }
    : { lacks, only: nodesParts },
);

describe("an upgrade node by node", () => {
  const running: NodeProcess[] = [];
  afterAll(() => Promise.all(running.map((node) => node.stop())));

  type Row = { id: string };

  /** Mints, rates, polls, acknowledges and exports without a pause, until the returned function is called. */
  function keepUsing(client: ApiClient) {
    const replies: Reply[] = [];
    const over = new AbortController();
    const noted = async (reply: Promise<Reply>) => {
      replies.push(await reply);
      return replies.at(-1)!;
    };
    const using = (async () => {
      for (let run = 0; !over.signal.aborted; run++) {
        const person = { respondentId: `person-${run}` };
        const minted = await noted(client.mint({ ...person, sessionId: `run-${run}` }));
        const showToken = minted.json.tokens["shop-csat"];
        await noted(client.submit({ surveyId: "shop-csat", showToken, rating: 4 }));
        const pending = await noted(client.pending());
        await noted(client.ack(pending.json.scores.map(({ id }: Row) => ({ id, state: "delivered" }))));
        await noted(client.export(person));
      }
    })();
    return async () => {
      over.abort();
      await using;
      return replies;
    };
  }

  it("refuses no request, also when a node of the last version starts again on the new schema", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    const config: ServerConfig = {
      rateLimits: false,
      projects: [project("shop", { surveys: [survey("shop-csat", { type: "csat" })] })],
    };
    const proxy = await RoundRobin.open();
    const add = async (file: string) => {
      const node = await NodeProcess.startVersion(file, { database, config });
      running.push(node);
      proxy.add(node.url);
      // Each node has had its turn.
      await proxy.afterRequests(40);
      return node;
    };
    const remove = async (node: NodeProcess) => {
      await proxy.drain(node.url);
      proxy.remove(node.url);
      running.splice(running.indexOf(node), 1);
      await node.stop();
    };
    const first = await NodeProcess.startVersion(lastVersion, { database, config });
    running.push(first);
    proxy.add(first.url);
    const stopUsing = keepUsing(new ApiClient(proxy.url, keysOf("shop")));
    const second = await add(lastVersion);
    await add(await nextVersion);
    await remove(second);
    const third = await add(lastVersion);
    await add(await nextVersion);
    await remove(first);
    await remove(third);
    await proxy.afterRequests(40);
    const replies = await stopUsing();
    await proxy.close();
    expect(replies.length).toBeGreaterThan(200);
    expect(replies.filter(({ status }) => status >= 300).map(({ status, text }) => [status, text])).toEqual(
      [],
    );
    const added = "SELECT count(*)::integer AS count FROM responses WHERE added = 'a'";
    const { rows } = await asOperator(database, (operator) => operator.query(added));
    expect(rows[0].count).toBe(replies.length / 5);
  });

  it("is refused by the last version when the migration says that it removes what that version needs", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    const config: ServerConfig = { projects: [] };
    const removing = nextMigration("ALTER TABLE responses DROP COLUMN task_type", `${versionBefore} + 1`);
    const file = await bundleOnce(at("node-program.ts"), "packages/server", [removing]);
    const node = await NodeProcess.startVersion(file, { database, config });
    running.push(node);
    await expect(NodeProcess.startVersion(lastVersion, { database, config })).rejects.toThrow(
      "run a newer server",
    );
  });
});
