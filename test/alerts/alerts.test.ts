import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startServer, type RunningServer } from "@afterword/server";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { parse } from "yaml";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { freePort } from "../free-port.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(at(path), "utf8");

interface Rule {
  alert: string;
  expr: string;
  annotations: Record<string, string>;
}
const rules = (parse(read("deploy/alerts.yml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const { panels } = JSON.parse(read("deploy/grafana-dashboard.json")) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

/** The metrics in a query, without the ends that a histogram's parts have. */
const metricsIn = (query: string) =>
  (query.match(/\b(?:afterword|nodejs|process)_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, ""));

const hasPrometheus = ["prometheus", "promtool"].every(
  (program) => spawnSync(program, ["--version"]).status === 0,
);
if (!hasPrometheus) console.warn("skipped: no Prometheus to try the alerts and the dashboard with");

const folder = mkdtempSync(join(tmpdir(), "afterword-alerts-"));
let server: RunningServer;
let forwarder: ReturnType<typeof spawn>;
let forwarderAdmin = "";

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** A server on PostgreSQL, with answers of two versions, and a forwarder that has delivered. */
beforeAll(async () => {
  const database = await freshPostgres(inject("postgresUrl"));
  const config = { rateLimits: false as const, projects: [project("p")] };
  server = await startServer({ database, config, erasureLog: join(folder, "log.jsonl"), admin: { port: 0 } });
  for (const version of ["2.3", "2.4"]) await server.seed("p", [{ rating: 9, run: { version } }]);
  const client = new ApiClient(server.url, keysOf("p"));
  await client.answer("p-nps", "ann");
  await client.submit({ showToken: "st1.nonsense", surveyId: "p-nps", rating: 1 });
  const flags = ["--sink", "jsonl", "--out", join(folder, "scores.jsonl"), "--poll-interval", "50ms"];
  const program = at("packages/node/dist/cli.js");
  forwarder = spawn(process.execPath, [program, "forward", ...flags, "--admin-port", "0"], {
    env: { AFTERWORD_SECRET_KEY: client.keys.secretKey, AFTERWORD_BASE_URL: server.url },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface(forwarder.stderr!)) {
    forwarderAdmin = /^health checks and metrics on (\S+)$/.exec(line)?.[1] ?? "";
    if (forwarderAdmin) break;
  }
  const delivered = async () => (await fetch(`${forwarderAdmin}/metrics`)).text();
  const hasDelivered = async () =>
    expect(await delivered()).toMatch(/^afterword_forwarder_delivered_total\S* [1-9]/m);
  await vi.waitFor(hasDelivered, { timeout: 30_000 });
});
afterAll(async () => {
  await ended(forwarder);
  await server.close();
  rmSync(folder, { recursive: true });
});

describe("alerts and dashboard", () => {
  it("use only metrics that a server or a forwarder has", async () => {
    const pages = await Promise.all(
      [server.adminUrl, forwarderAdmin].map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    const known = new Set(pages.join("\n").match(/(?<=^# TYPE )\w+/gm));
    const used = [...rules, ...queries].flatMap(({ expr }) => metricsIn(expr));
    expect(new Set(used).size).toBeGreaterThan(30);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it("have a paragraph in the runbook for each alert, and no other", () => {
    const runbook = read("docs/operate/runbook.md");
    const headings = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(headings.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    for (const paragraph of runbook.split(/^## \w+$/m).slice(1))
      expect(paragraph.trim().length).toBeGreaterThan(80);
  });
});

describe.skipIf(!hasPrometheus)("in a real Prometheus", () => {
  it.each(["check rules ../../deploy/alerts.yml", "test rules alerts.test.yml"])(
    "promtool %s passes",
    (words) => {
      const { status, stdout, stderr } = spawnSync("promtool", words.split(" "), {
        cwd: at("test/alerts"),
        encoding: "utf8",
      });
      expect(status, stdout + stderr).toBe(0);
    },
  );

  it("each alert has a world in which it fires", () => {
    for (const { alert } of rules)
      expect(read("test/alerts/alerts.test.yml")).toMatch(
        new RegExp(`alertname: ${alert}\n\\s+exp_alerts:\n`),
      );
  });

  it("every panel shows what a server and a forwarder tell, and only the missing backup is wrong", async () => {
    const port = await freePort();
    const jobs = { "afterword-server": server.adminUrl!, "afterword-forwarder": forwarderAdmin };
    // As the page configures it, at the addresses of this test.
    const shown = parse(/```yaml\n([\s\S]*?)```/.exec(read("docs/operate/monitoring.md"))![1]!) as {
      scrape_configs: { job_name: keyof typeof jobs }[];
    };
    const scraped = shown.scrape_configs.map(({ job_name }) => ({
      job_name,
      static_configs: [{ targets: [new URL(jobs[job_name]).host] }],
    }));
    const config = {
      global: { scrape_interval: "200ms" },
      rule_files: [at("deploy/alerts.yml")],
      scrape_configs: scraped,
    };
    writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
    const flags = {
      "config.file": "prometheus.yml",
      "storage.tsdb.path": "data",
      "web.listen-address": `127.0.0.1:${port}`,
    };
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const prometheus = spawn("prometheus", words, { cwd: folder, stdio: "ignore" });
    const api = `http://127.0.0.1:${port}/api/v1`;
    const ask = async (expr: string) => {
      const reply = await fetch(`${api}/query?${new URLSearchParams({ query: expr })}`);
      const { status, error, data } = (await reply.json()) as {
        status: string;
        error?: string;
        data?: { result: unknown[] };
      };
      return status === "success" ? data!.result.length : error;
    };
    // Nothing has been refused, retried, shed or failed; a rate of what never happened has no series.
    const eventful = /failed_total|sink_errors|service_errors|shed_total|failures_total/;
    const wanted = queries.filter(({ expr }) => !eventful.test(expr));
    const missing = async () => {
      const found = await Promise.all(
        wanted.map(async (query) => ({ ...query, found: await ask(query.expr) })),
      );
      return found.filter(({ found }) => typeof found !== "number" || found === 0);
    };
    try {
      await expect.poll(missing, { timeout: 45_000, interval: 500 }).toEqual([]);
      expect(await Promise.all(queries.map(({ expr }) => ask(expr)))).not.toContain(expect.any(String));
      const states = await Promise.all(
        rules.map(async ({ alert, expr }) => ((await ask(expr)) === 0 ? [] : [alert])),
      );
      // A trend over the seconds of a test says nothing about a day.
      const wrong = states.flat().filter((alert) => alert !== "AfterwordDiskAlmostFull");
      expect(wrong).toEqual(["AfterwordBackupOld"]);
    } finally {
      await ended(prometheus);
    }
  });
});
