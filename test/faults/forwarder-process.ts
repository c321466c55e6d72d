import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";
import { bundleOnce } from "./bundle-once.ts";
import type { ForwarderWorld } from "./forwarder-world.ts";

const program = await bundleOnce(
  fileURLToPath(new URL("../../packages/node/src/cli.ts", import.meta.url)),
  "packages/node",
);

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void | Promise<void>;

/** A server on this machine that answers as the test says. */
export const startFake = (answer: Answer) =>
  serveLocally(async (request, response) => answer(request, response, await text(request)));

/** What stands before the service: passes requests on, but answers those itself for which `status` gives one. */
export const startGateway = (world: ForwarderWorld, status: (path: string) => number | undefined) =>
  startFake(async (request, response, body) => {
    const own = status(request.url!.split("?")[0]!);
    if (own !== undefined) return void response.writeHead(own, { "content-type": "text/html" }).end("<html>");
    const { authorization = "" } = request.headers;
    const reply = await fetch(world.connection.baseUrl + request.url, {
      method: request.method,
      headers: { authorization, "content-type": "application/json" },
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
  });

/** The program `afterword` as a process of its own, whose sink is a webhook on this machine. */
export function startCommand(world: ForwarderWorld, sinkUrl: string, args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      AFTERWORD_BASE_URL: world.connection.baseUrl,
      AFTERWORD_SECRET_KEY: world.connection.secretKey,
      AFTERWORD_WEBHOOK_URL: sinkUrl,
      AFTERWORD_WEBHOOK_SECRET: "whsec_dGhpcy1pcy1vbmx5LWZvci10ZXN0cw==",
      AFTERWORD_WEBHOOK_ALLOW_PRIVATE: "true",
    },
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => void (output += String(chunk)));
  child.stderr.on("data", (chunk) => void (errors += String(chunk)));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output, errors }));
  return {
    child,
    ended,
    output: () => output,
    errors: () => errors,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

/** It forwards to that webhook. */
export const startProgram = (world: ForwarderWorld, sinkUrl: string, args: readonly string[] = []) =>
  startCommand(world, sinkUrl, ["forward", "--sink", "webhook", "--json", ...args]);
