import { type RunningServer, startServer } from "@afterword/server";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import * as engine from "./docker.ts";

const { docker, eventually, locked, onThisMachine, tryDocker } = engine;
const image = "afterword-forwarder";

let service: RunningServer;
let client: ApiClient;
let folder: string;

/** The words that run the forwarder against the service, with a folder of its own for the scores. */
const forward = (secretKey: string, ...words: string[]) => [
  ...onThisMachine,
  ...locked,
  "--env",
  `AFTERWORD_BASE_URL=${service.url}`,
  "--env",
  `AFTERWORD_SECRET_KEY=${secretKey}`,
  "--volume",
  `${folder}:/scores`,
  image,
  "--sink",
  "jsonl",
  "--out",
  "/scores/scores.jsonl",
  ...words,
];

const delivered = () =>
  readFileSync(join(folder, "scores.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id);

beforeAll(async () => {
  if (!engine.hasEngine) return;
  folder = mkdtempSync(join(tmpdir(), "afterword-forwarder-image-"));
  chownSync(folder, 65532, 65532);
  service = await startServer({ config: { rateLimits: false, projects: [project("p")] } });
  client = new ApiClient(service.url, keysOf("p"));
});

afterAll(async () => {
  await service?.close();
  if (folder) rmSync(folder, { recursive: true });
});

describe.skipIf(!engine.hasEngine)("the forwarder's image", () => {
  it("adds at most 15 MB to its base, and its user is a number that is not root's", async () => {
    const base = "gcr.io/distroless/nodejs24-debian12:nonroot";
    expect(await engine.ownBytes(image, base)).toBeLessThan(15e6);
    expect(await docker("image", "inspect", "--format", "{{.Config.User}}", image)).toBe("65532:65532");
  });

  it("delivers what is there and acknowledges it, without rights on a read-only file system", async () => {
    const id = await client.answer("p-nps", "ann");
    await docker("run", "--rm", ...forward(client.keys.secretKey, "--once"));
    expect(delivered()).toContain(id);
    expect(await client.drain()).toEqual([]);
  });

  it("goes on until SIGTERM, and then ends with 0 within ten seconds, nothing left unacknowledged", async () => {
    const container = await docker("run", "--detach", ...forward(client.keys.secretKey));
    const id = await client.answer("p-nps", "bob");
    await eventually("the score is delivered", async () => delivered().includes(id));
    const { code, seconds } = await engine.stopped(container);
    expect(code).toBe(0);
    expect(seconds).toBeLessThan(10);
    expect(await client.drain()).toEqual([]);
    await docker("rm", container);
  });

  it("ends with 3 when its key is refused, and with 2 when a variable is missing", async () => {
    const wrong = await tryDocker(["run", "--rm", ...forward(keysOf("unknown").secretKey, "--once")]);
    expect(wrong.code).toBe(3);
    expect((await tryDocker(["run", "--rm", "--network", "none", image, "--once"])).code).toBe(2);
  });
});
