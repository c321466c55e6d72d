import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServer } from "@afterword/server";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { ServerFolder } from "./server-program.ts";

const deploy = fileURLToPath(new URL("../../packages/node/deploy", import.meta.url));
const ofServer = fileURLToPath(new URL("../../deploy", import.meta.url));
const program = fileURLToPath(new URL("../../packages/node/dist/cli.js", import.meta.url));
const read = (name: string) => readFileSync(join(deploy, name), "utf8");
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
if (!hasSystemd) console.warn("skipped: no systemd-analyze to verify the units with");

/** The one command of the crontab and the variables that it sets, as cron reads them. */
function cronJob(): { command: string; variables: Record<string, string> } {
  const lines = read("crontab")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  const command = lines.pop()!.replace(/^(\S+\s+){5}/, "");
  return { command, variables: Object.fromEntries(lines.map((line) => line.split("=") as [string, string])) };
}

/** What systemd says of a unit that it refuses, or calls more than hardly exposed. */
function complaintsOf(folder: string, name: string): string[] {
  const unit = join(folder, name);
  const limit = "--threshold=20";
  const security = spawnSync("systemd-analyze", ["security", "--offline=true", limit, unit], {
    encoding: "utf8",
  });
  // A machine of tests has no program under /opt.
  const place = mkdtempSync(join(tmpdir(), "afterword-unit-"));
  const copy = join(place, name);
  const text = readFileSync(unit, "utf8");
  writeFileSync(copy, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  const verified = spawnSync("systemd-analyze", ["verify", "--man=no", copy], { encoding: "utf8" });
  rmSync(place, { recursive: true });
  const isRefused = verified.status !== 0 || verified.stderr.includes(`${name}:`);
  return [...(security.status === 0 ? [] : [security.stdout]), ...(isRefused ? [verified.stderr] : [])];
}

describe("what the server is deployed with", () => {
  it.skipIf(!hasSystemd)("has a unit that systemd takes, and calls hardly exposed", () =>
    expect(complaintsOf(ofServer, "afterword-server.service")).toEqual([]),
  );

  it("starts in its folder with the flags of the unit", async () => {
    const unit = readFileSync(join(ofServer, "afterword-server.service"), "utf8");
    const [, flags] = /^ExecStart=\S+\/afterword-server serve (.*)$/m.exec(unit)!;
    using folder = new ServerFolder();
    writeFileSync(folder.file("config.json"), JSON.stringify({ projects: [project("shop")] }));
    await using server = await folder.serve(...flags!.replace("8788", "0").split(" "));
    const client = new ApiClient(server.url, keysOf("shop"));
    await client.answer("shop-nps", "ann");
    await client.erase({ respondentId: "ann" });
    expect((await fetch(`${server.adminUrl}/readyz`)).status).toBe(200);
    expect(readdirSync(folder.path)).toEqual(expect.arrayContaining(["afterword.db", "erasures.jsonl"]));
  });
});

describe("what the forwarder is deployed with", () => {
  it.skipIf(process.platform !== "linux")(
    "has a line for cron that delivers what is there, out of the few variables that cron gives",
    async () => {
      await using service = await startServer({ config: { rateLimits: false, projects: [project("p")] } });
      const client = new ApiClient(service.url, keysOf("p"));
      const id = await client.answer("p-nps", "ann");
      const home = mkdtempSync(join(tmpdir(), "afterword-cron-"));
      const settings = `AFTERWORD_BASE_URL=${service.url}\nAFTERWORD_SECRET_KEY=${client.keys.secretKey}\n`;
      writeFileSync(join(home, "afterword.env"), settings, { mode: 0o600 });
      const { command, variables } = cronJob();
      const here = command
        .replace("/opt/afterword/node_modules/.bin/afterword", `${process.execPath} ${program}`)
        .replace("--sink phoenix", `--sink jsonl --out ${home}/scores.jsonl`);
      const env = { HOME: home, LOGNAME: "afterword", SHELL: "/bin/sh", ...variables };
      await promisify(execFile)("/bin/sh", ["-c", here], { env, cwd: home });
      expect(JSON.parse(readFileSync(join(home, "afterword.log"), "utf8"))).toMatchObject({ delivered: 1 });
      expect(readFileSync(join(home, "scores.jsonl"), "utf8")).toContain(id);
      rmSync(home, { recursive: true });
    },
  );

  it.skipIf(!hasSystemd)("has a unit that systemd takes, and calls hardly exposed", () =>
    expect(complaintsOf(deploy, "afterword-forwarder.service")).toEqual([]),
  );

  it("runs without root in Kubernetes, which needs the numeric user of the image", () => {
    const { spec } = parse(read("kubernetes.yaml")) as {
      spec: { template: { spec: { containers: { securityContext: object }[] } } };
    };
    const [container] = spec.template.spec.containers;
    expect(container!.securityContext).toMatchObject({ runAsNonRoot: true, readOnlyRootFilesystem: true });
    expect(read("Dockerfile")).toMatch(/^USER 65532:65532$/m);
  });
});
