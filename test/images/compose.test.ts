import { Afterword, AfterwordRespondent } from "@afterword/node";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { text as bodyOf } from "node:stream/consumers";
import { once } from "node:events";
import { type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as engine from "./docker.ts";
import { freePort } from "../free-port.ts";

// The example as it stands, by Docker Compose: PostgreSQL, three nodes of the built image, and the proxy.

const { docker, eventually, repository } = engine;
const files = ["packages/server/compose.yaml", "packages/server/compose-config.json", "examples/compose"];
const up = ["up", "--detach", "--wait", "--no-build", "--pull", "never"];
let folder: string;
let keys: { baseUrl: string; publishableKey: string; secretKey: string; maxRetries: number };
let backend: Afterword;
let certificate: string;
let tlsPort: number;

/** As the example's first lines make it; the proxy's user must be able to read the file. */
function makeCertificate(into: string): string {
  const words =
    "req -x509 -newkey rsa:2048 -noenc -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
  const files = ["-keyout", "tls.pem", "-out", "certificate.pem"];
  execFileSync("openssl", [...words.split(" "), ...files], { cwd: into, stdio: "ignore" });
  const text = readFileSync(join(into, "certificate.pem"), "utf8");
  appendFileSync(join(into, "tls.pem"), text);
  chmodSync(join(into, "tls.pem"), 0o644);
  return text;
}

const compose = (...words: string[]) =>
  docker("compose", "--file", join(folder, "examples/compose/compose.yaml"), ...words);

beforeAll(async () => {
  if (!engine.hasEngine) return;
  folder = mkdtempSync(join(tmpdir(), "afterword-compose-image-"));
  for (const folderName of ["examples/compose", "packages/server"])
    mkdirSync(join(folder, folderName), { recursive: true });
  for (const file of files) cpSync(join(repository, file), join(folder, file), { recursive: true });
  writeFileSync(join(folder, "packages/server/master.key"), "5a".repeat(32), { mode: 0o644 });
  // One client address stands for everyone who answers here: a node's share of its limits is less than that.
  const configFile = join(folder, "packages/server/compose-config.json");
  const config = JSON.parse(readFileSync(configFile, "utf8")) as object;
  writeFileSync(configFile, JSON.stringify({ ...config, rateLimits: false }));
  certificate = makeCertificate(join(folder, "packages/server"));
  const port = await freePort();
  tlsPort = await freePort();
  vi.stubEnv("PROXY_PORT", String(port));
  vi.stubEnv("PROXY_TLS_PORT", String(tlsPort));
  for (const role of ["POSTGRES", "APP"]) vi.stubEnv(`${role}_PASSWORD`, randomUUID());
  await compose(...up);
  const made = execFileSync("sh", [join(folder, "examples/compose/setup.sh")], { encoding: "utf8" });
  // Until the proxy has noticed that a node was killed, which takes up to four seconds, it answers some with 502.
  keys = { ...JSON.parse(made), baseUrl: `http://127.0.0.1:${port}`, maxRetries: 8 };
  backend = new Afterword(keys);
}, 120_000);

afterAll(async () => {
  if (!engine.hasEngine) return;
  await compose("down", "--volumes");
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
}, 60_000);

/** Mints for a person who has never been asked, and answers as their page would; gives the id of the answer. */
async function rateOnce(): Promise<string> {
  const person = randomUUID();
  const { tokens } = await backend.mint({ respondentId: person, sessionId: `session-of-${person}` });
  const page = new AfterwordRespondent({ ...keys, userId: person });
  page.install({
    surveyId: "satisfaction",
    token: tokens["satisfaction"]!,
    sessionId: `session-of-${person}`,
  });
  return (await (await page.nextAsk())!.submit({ rating: 4 })).id!;
}

async function listed(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of backend.pendingScores()) ids.push(id);
  return ids.sort();
}

describe.skipIf(!engine.hasEngine)("the compose example, run", () => {
  it("has a healthy PostgreSQL and three healthy nodes behind its proxy, which soon know a new project", async () => {
    const lines = (await compose("ps", "--format", "{{.Service}} {{.State}} {{.Health}}")).split("\n");
    expect(lines.map((line) => line.trim()).sort()).toEqual([
      "database running healthy",
      ...[1, 2, 3].map((node) => `node-${node} running healthy`),
      "proxy running",
    ]);
    await eventually("every node knows of the project", async () => {
      for (let count = 0; count < 6; count++) await rateOnce();
      return true;
    });
    await backend.ack((await listed()).map((id) => ({ id, state: "delivered" })));
  });

  it("answers over TLS with the given certificate, and knows the client's address", async () => {
    const asked = request({ host: "localhost", port: tlsPort, path: "/readyz", ca: certificate }).end();
    const [reply] = (await once(asked, "response")) as [IncomingMessage];
    expect(JSON.parse(await bodyOf(reply))).toMatchObject({ status: "ready", proxies: "trusted" });
  });

  it("keeps requests that do not arrive from the nodes", async () => {
    const { hostname, port } = new URL(keys.baseUrl);
    const head = "POST /v1/sdk/bootstrap HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n{";
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
    for (const socket of sockets) socket.on("error", () => undefined).write(head);
    await backend.ack([{ id: await rateOnce(), state: "delivered" }]);
    for (const node of ["node-1", "node-2", "node-3"]) {
      const ask =
        "fetch('http://127.0.0.1:8788/metrics').then(async (reply) => console.log(await reply.text()))";
      const metrics = await compose("exec", "-T", node, "/nodejs/bin/node", "-e", ask);
      expect(metrics).toContain("afterword_requests_unfinished 0");
    }
    for (const socket of sockets) socket.destroy();
  });
});
