import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ForwarderWorld } from "./forwarder-world.ts";

const program = fileURLToPath(new URL("../../packages/node/src/cli.ts", import.meta.url));

/** A sink that answers nothing until it is told to. */
async function startHoldingSink() {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume().once("end", () => held.push(response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    answer: () => held.splice(0).map((response) => response.writeHead(204).end()),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The program, forwarding to a webhook on this machine. */
function startProgram(world: ForwarderWorld, sinkUrl: string) {
  const args = [program, "forward", "--sink", "webhook", "--base-url", world.connection.baseUrl, "--json"];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      AFTERWORD_SECRET_KEY: world.connection.secretKey,
      AFTERWORD_WEBHOOK_URL: sinkUrl,
      AFTERWORD_WEBHOOK_SECRET: "whsec_dGhpcy1pcy1vbmx5LWZvci10ZXN0cw==",
      AFTERWORD_WEBHOOK_ALLOW_PRIVATE: "true",
    },
  });
  let output = "";
  child.stdout.on("data", (chunk) => void (output += String(chunk)));
  const ended = once(child, "exit").then(([code]) => ({ code: code as number, output }));
  return { child, ended };
}

describe("the program on SIGTERM", () => {
  it("takes no more rows, waits for the pushes under way, acknowledges them and exits with 0", async () => {
    await using world = await ForwarderWorld.start();
    using sink = await startHoldingSink();
    await world.rate(20);
    const { child, ended } = startProgram(world, sink.url);
    await expect.poll(() => sink.held.length, { timeout: 30_000 }).toBe(8);
    child.kill("SIGTERM");
    // Nothing is taken up behind the signal, so that what is answered now is all there is.
    sink.answer();
    await expect.poll(() => sink.answer().length || child.exitCode, { timeout: 30_000 }).toBe(0);
    const { code, output } = await ended;
    const { delivered } = JSON.parse(output) as { delivered: number };
    expect(code).toBe(0);
    expect(delivered).toBeGreaterThanOrEqual(8);
    expect(await world.waiting()).toHaveLength(20 - delivered);
  });

  it("exits at once, with 130, when a second signal comes", async () => {
    await using world = await ForwarderWorld.start();
    using sink = await startHoldingSink();
    await world.rate(1);
    const { child, ended } = startProgram(world, sink.url);
    await expect.poll(() => sink.held.length, { timeout: 30_000 }).toBe(1);
    child.kill("SIGTERM");
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(await world.waiting()).toHaveLength(1);
  });
});
