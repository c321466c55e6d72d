import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, it } from "vitest";
import { ratingScales, surveyDefinition } from "@afterword/protocol";
import { parseConfig, startServer } from "@afterword/server";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { ServerFolder } from "./server-program.ts";
import { freePort } from "../free-port.ts";

const packageFolder = fileURLToPath(new URL("../../packages/server", import.meta.url));
const read = (name: string) => readFileSync(`${packageFolder}/${name}`, "utf8");
/** A page of the reference. */
const page = (name: string) => read(`../../docs/reference/${name}.md`);

/** The first block of code in a language. */
const block = (text: string, language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)![1]!;

const variablesOf = (words: string) => [...new Set(words.match(/AFTERWORD_[A-Z_]*[A-Z]/g))].sort();

async function variablesOfServe(): Promise<string[]> {
  using folder = new ServerFolder();
  return variablesOf((await folder.run("serve", "--help")).out);
}

describe("the documents of the server", () => {
  it("lead from nothing to a first answer in five commands", async () => {
    using folder = new ServerFolder();
    mkdirSync(folder.file("packages"));
    symlinkSync(packageFolder, folder.file("packages/server"));
    const commands = block(read("README.md").split("## Five commands")[1]!, "sh");
    expect(commands.match(/^(npx|node|curl) /gm)).toHaveLength(5);
    // Every test run begins with the build; the port may be in use.
    const [build, ...rest] = commands.split("\n");
    expect(build).toBe('npx -y pnpm@12 build && export PATH="$PWD/node_modules/.bin:$PATH"');
    const port = String(await freePort());
    const script = `trap 'kill $(jobs -p)' EXIT\n${rest.join("\n").replaceAll("8787", port)}`;
    const bash = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd: folder.path,
      env: { ...process.env, AFTERWORD_PORT: port },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [out, [code]] = await Promise.all([text(bash.stdout), once(bash, "exit")]);
    expect(code).toBe(0);
    const shop = JSON.parse(readFileSync(folder.file("shop.json"), "utf8")) as Record<string, string>;
    expect(shop["secretKey"]).toMatch(/^aw_sk_/);
    const answer = JSON.parse(/\{"surveys".*\}/.exec(out)![0]) as Record<string, Record<string, unknown>>;
    expect(answer["surveys"]).toMatchObject([{ slug: "satisfaction", type: "csat" }]);
    expect(answer["showTokens"]!["satisfaction"]).toMatch(/^st1\./);
  });

  it("list exactly the variables that exist", async () => {
    const known = await variablesOfServe();
    expect(variablesOf(page("settings"))).toEqual(known);
    expect(variablesOf(read("README.md")).filter((name) => !known.includes(name))).toEqual([]);
  });

  it("list every command, and metrics that all exist", async () => {
    using folder = new ServerFolder();
    const { out } = await folder.run("--help");
    const commands = [...out.matchAll(/^ {2}([a-z-]+) /gm)]
      .map(([, name]) => name!)
      .filter((name) => name !== "help");
    expect(commands).toHaveLength(16);
    for (const command of commands) expect(page("commands")).toContain(`| \`${command}`);
    const metrics = page("metrics").match(/\b(afterword|nodejs)_\w+/g)!;
    // SQLite has no connections, and all other metrics are the same.
    const database = await freshPostgres(inject("postgresUrl"));
    await using server = await startServer({ database, admin: { port: 0 } });
    const told = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics.filter((name) => !told.includes(`# HELP ${name} `))).toEqual([]);
  });

  it("show a valid config", () => {
    const config = JSON.parse(block(page("config-file"), "json")) as unknown;
    expect(parseConfig(config).projects[0]!.surveys).toHaveLength(1);
  });

  it("list every field of a survey, and every scale", () => {
    const section = page("surveys");
    const listed = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names]) => names!.match(/\w+/g)!);
    const settings = ["status", "maximum", "askAgain", "unprompted", "sampling"];
    const types = Object.keys(ratingScales);
    expect(listed.filter((name) => name !== "type").sort()).toEqual(
      [...Object.keys(surveyDefinition.shape), ...settings, ...types]
        .filter((name) => name !== "type")
        .sort(),
    );
    for (const [type, { min, max }] of Object.entries(ratingScales))
      expect(section).toContain(`| \`${type}\` | ${min} to ${max} |`);
  });
});

describe("what the containers are set up with", () => {
  it("are variables that the server knows", async () => {
    const known = await variablesOfServe();
    for (const file of ["Dockerfile", "compose.yaml"]) {
      expect(variablesOf(read(file)).filter((name) => !known.includes(name))).toEqual([]);
    }
  });
});
