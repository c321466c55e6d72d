import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = process.env["RELEASE_TOOLS"]!;
const tool = (name: string, words: string[]) =>
  spawnSync(join(tools, name), words, { cwd: root, encoding: "utf8" });

describe("the workflows", () => {
  it("are accepted by actionlint", () => {
    const { stdout, status } = tool("actionlint", ["-shellcheck=", "-pyflakes="]);
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });
});

describe("base images", () => {
  const folder = mkdtempSync(join(tmpdir(), "afterword-bases-"));
  const dockerfile = join(folder, "Dockerfile");
  let registry: ReturnType<typeof spawn>;
  let host: string;
  beforeAll(async () => {
    registry = spawn(join(tools, "crane"), ["registry", "serve", "--address", "127.0.0.1:0"]);
    const [line] = await once(createInterface(registry.stderr!), "line");
    host = `127.0.0.1:${/\d+$/.exec(String(line))![0]}`;
    for (const [name, file] of Object.entries({ "node:24": "LICENSE", "base:nonroot": "README.md" })) {
      const layer = join(folder, `${file}.tar`);
      execFileSync("tar", ["-cf", layer, "-C", root, file]);
      const words = ["append", "--new_layer", layer, "--new_tag", `${host}/${name}`];
      execFileSync(join(tools, "crane"), words, { stdio: "pipe" });
    }
  });
  afterAll(async () => {
    registry.kill();
    await once(registry, "close");
    rmSync(folder, { recursive: true });
  });

  const pin = (text: string) => {
    writeFileSync(dockerfile, text);
    const script = join(root, "test/release/pin-bases.sh");
    const env = { ...process.env, PATH: `${tools}:${process.env["PATH"]}` };
    const { status, stderr } = spawnSync(script, [dockerfile], { env, encoding: "utf8" });
    return { status, stderr, text: readFileSync(dockerfile, "utf8") };
  };

  it("get the digest that their tag has in the registry, stages and everything else stay", () => {
    const digest = (name: string) => tool("crane", ["digest", `${host}/${name}`]).stdout.trim();
    const rest = "WORKDIR /app\nFROM build AS more\nCOPY --from=build /app /app\n";
    const { status, text } = pin(`FROM ${host}/node:24 AS build\n${rest}FROM ${host}/base:nonroot\n`);
    expect(status).toBe(0);
    expect(text).toBe(
      `FROM ${host}/node:24@${digest("node:24")} AS build\n${rest}FROM ${host}/base:nonroot@${digest("base:nonroot")}\n`,
    );
    expect(pin(text).text).toBe(text);
  });

  it("stay as they are, with one line, if one of them has no digest", () => {
    const before = `FROM ${host}/node:24 AS build\nFROM ${host}/gone:1\n`;
    expect(pin(before)).toEqual({
      status: 1,
      stderr: `${host}/gone:1: its registry names no digest. Check the tag in the FROM line, and the network.\n`,
      text: before,
    });
  });

  it("have no digest in the repository, where it would be written by hand", () => {
    const files = globSync("packages/{server,*/deploy}/Dockerfile", { cwd: root });
    expect(files).toHaveLength(2);
    expect(files.filter((file) => readFileSync(join(root, file), "utf8").includes("@sha256:"))).toEqual([]);
  });
});
