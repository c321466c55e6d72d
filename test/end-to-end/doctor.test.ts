import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { phoenixContract } from "../conformance/sink-contracts/phoenix.ts";
import { openStage, type SinkStage, type StageReply, type StageRequest } from "../conformance/sink-stage.ts";

const program = fileURLToPath(new URL("../../packages/node/dist/cli.js", import.meta.url));
const stages: SinkStage[] = [];
afterEach(async () => void (await Promise.all(stages.splice(0).map((stage) => stage.close()))));

async function serverThat(play: (request: StageRequest) => StageReply): Promise<string> {
  const stage = await openStage(play);
  stages.push(stage);
  return stage.url;
}

/** The service as far as doctor asks it. */
const service = ({ headers }: StageRequest): StageReply =>
  headers.authorization === "Bearer aw_sk_right"
    ? { status: 200, body: { scores: [] } }
    : { status: 401, body: { code: "secret_key_required" } };

const page = () => ({ status: 200, headers: { "content-type": "text/html" }, body: "<!doctype html>" });

/** Runs the built program; answers its exit code and the result of each check. */
async function doctor(variables: Record<string, string>) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, AFTERWORD_SECRET_KEY: "aw_sk_right", ...variables };
  const child = spawn(process.execPath, [program, "doctor", "--sink", "phoenix", "--json"], { env });
  const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const findings = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { check: string; result: string });
  return { exitCode, sink: findings.at(-1), service: findings[0] };
}

describe("afterword doctor, as a program", () => {
  it("exits with 0 when service and sink accept their keys", async () => {
    const found = await doctor({
      AFTERWORD_BASE_URL: await serverThat(service),
      PHOENIX_BASE_URL: await serverThat(phoenixContract().play),
      PHOENIX_API_KEY: "phoenix-hush",
    });
    expect(found).toMatchObject({ exitCode: 0, sink: { check: "sink", result: "ok" } });
  });

  it("exits with 3 when the sink refuses the key or is another service", async () => {
    const AFTERWORD_BASE_URL = await serverThat(service);
    for (const play of [phoenixContract().play, page]) {
      const found = await doctor({ AFTERWORD_BASE_URL, PHOENIX_BASE_URL: await serverThat(play) });
      expect(found).toMatchObject({ exitCode: 3, sink: { check: "sink", result: "failed" } });
    }
  });

  it("exits with 3 when the address belongs to another service", async () => {
    const found = await doctor({ AFTERWORD_BASE_URL: await serverThat(page) });
    expect(found).toMatchObject({ exitCode: 3, service: { check: "service", result: "failed" } });
  });

  it("exits with 4 when the sink's address does not answer", async () => {
    const closed = await openStage(page);
    await closed.close();
    const found = await doctor({
      AFTERWORD_BASE_URL: await serverThat(service),
      PHOENIX_BASE_URL: closed.url,
    });
    expect(found).toMatchObject({ exitCode: 4, sink: { check: "sink", result: "failed" } });
  });
});
