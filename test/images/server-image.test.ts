import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { type ProjectKeys } from "@afterword/conformance";
import * as engine from "./docker.ts";
import { freePort } from "../free-port.ts";

const { docker, eventually, locked, onThisMachine, tryDocker } = engine;
const image = "afterword-server";
const base = "gcr.io/distroless/nodejs24-debian12:nonroot";
const survey = {
  id: "csat",
  slug: "csat",
  type: "csat",
  question: "How well was it done?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
};

let port = 0;
let folder: string;

/** Starts the server as production would, with what the test adds; gives the container's id once it answers. */
async function serve(...flags: string[]): Promise<string> {
  port = await freePort();
  const variables = ["--env", "AFTERWORD_HOST=127.0.0.1", "--env", `AFTERWORD_PORT=${port}`];
  const container = await docker(
    "run",
    "--detach",
    ...onThisMachine,
    ...locked,
    ...variables,
    ...flags,
    image,
  );
  await eventually("the server answers", async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  return container;
}

/** A new volume with a project and its survey, made by commands in containers of the same image. */
async function preparedVolume(): Promise<{ name: string; keys: ProjectKeys }> {
  const name = await docker("volume", "create");
  const beside = ["run", "--rm", "--network", "none", ...locked, "--volume", `${name}:/data`];
  const keys = JSON.parse(await docker(...beside, image, "project", "create", "p", "--json")) as ProjectKeys;
  const words = [...beside, "--interactive", image, "apply", "-"];
  const child = spawn(process.env["DOCKER_COMMAND"]!, words, { stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.end(
    JSON.stringify({ projects: [{ id: "p", name: "p", allowedOrigins: [], surveys: [survey] }] }),
  );
  expect(await once(child, "exit")).toEqual([0, null]);
  return { name, keys };
}

beforeAll(() => {
  if (engine.hasEngine) folder = mkdtempSync(join(tmpdir(), "afterword-server-image-"));
});

afterAll(() => folder && rmSync(folder, { recursive: true }));

describe.skipIf(!engine.hasEngine)("the server's image", () => {
  it("adds at most 28 MB to its base, and holds no shell, no key and no source", async () => {
    expect(await engine.ownBytes(image, base)).toBeLessThan(28e6);
    expect((await tryDocker(["run", "--rm", "--entrypoint", "/bin/sh", image])).code).toBe(127);
    const list = `console.log(fs.readdirSync("/app").join(), fs.readdirSync("/data").length)`;
    const look = ["--network", "none", "--entrypoint", "/nodejs/bin/node", image, "--eval", list];
    expect(await docker("run", "--rm", ...look)).toBe(
      "CHANGELOG.md,LICENSE,README.md,dist,node_modules,package.json,pnpm-lock.yaml,pnpm-workspace.yaml 0",
    );
  });

  it("holds the SQLite driver for its own platform alone", async () => {
    const list = `const { dirname, join } = require("path");
      const driver = dirname(require.resolve("better-sqlite3/package.json"));
      console.log(fs.readdirSync(driver).join(), fs.readdirSync(join(driver, "prebuilds")).join())`;
    const look = [
      "--network",
      "none",
      "--workdir",
      "/app",
      "--entrypoint",
      "/nodejs/bin/node",
      image,
      "--eval",
      list,
    ];
    expect(await docker("run", "--rm", ...look)).toBe(
      `LICENSE,README.md,binding.gyp,lib,package.json,prebuilds linux-${process.arch}.node`,
    );
  });

  it("keeps answers in its volume from one container to the next, without rights on a read-only file system", async () => {
    const { name, keys } = await preparedVolume();
    const first = await serve("--volume", `${name}:/data`);
    const id = await new ApiClient(`http://127.0.0.1:${port}`, keys).answer("csat", "ann");
    const whoAndWhere = `console.log(process.getuid(), process.getgid(), fs.statSync("/data/afterword.db.key").mode & 0o777)`;
    expect(await docker("exec", first, "/nodejs/bin/node", "--eval", whoAndWhere)).toBe("65532 65532 384");
    expect((await engine.stopped(first)).code).toBe(0);
    const second = await serve("--volume", `${name}:/data`);
    const rows = await new ApiClient(`http://127.0.0.1:${port}`, keys).drain();
    expect(rows).toMatchObject([{ id }]);
    await docker("rm", "--force", first, second);
  });

  it("is healthy on the port that a variable names", async () => {
    const container = await serve();
    const health = () => docker("inspect", "--format", "{{.State.Health.Status}}", container);
    await eventually("its health is known", async () => (await health()) !== "starting");
    expect(await health()).toBe("healthy");
    await docker("rm", "--force", container);
  });

  it("answers what is under way when it gets SIGTERM, and ends with 0 within ten seconds", async () => {
    const { name, keys } = await preparedVolume();
    const container = await serve("--volume", `${name}:/data`);
    const body = JSON.stringify({ key: keys.publishableKey, userId: "ann" });
    const headers = { "content-type": "application/json", "content-length": body.length };
    const half = request({ port, host: "127.0.0.1", method: "POST", path: "/v1/sdk/bootstrap", headers });
    const answered = once(half, "response") as Promise<[{ statusCode: number }]>;
    await new Promise((resolve) => half.write(body.slice(0, 20), resolve));
    const stopping = engine.stopped(container);
    const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok);
    await eventually("it is stopping", async () => !(await isReady().catch(() => false)));
    half.end(body.slice(20));
    expect((await answered)[0].statusCode).toBe(200);
    const { code, seconds } = await stopping;
    expect(code).toBe(0);
    expect(seconds).toBeLessThan(10);
    await docker("rm", container);
  });

  it("names the file it could not write when a mounted folder belongs to another user", async () => {
    const words = ["run", "--rm", ...locked, "--network", "none", "--volume", `${folder}:/data`, image];
    const refused = await tryDocker(words);
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.complaint).toContain("/data/afterword.db cannot be opened");
    chownSync(folder, 65532, 65532);
    expect((await tryDocker([...words, "project", "list"])).complaint).not.toContain("cannot be opened");
  });
});
