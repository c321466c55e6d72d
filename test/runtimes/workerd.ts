import { build } from "esbuild";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Readable } from "node:stream";

/** The runtime of Cloudflare's workers out of an npm package, which there is for some platforms. */
export function workerdPath(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    return (require("workerd") as { default: string }).default;
  } catch (error) {
    console.warn(
      `skipped: no workerd for ${process.platform} on ${process.arch}: ${(error as Error).message}`,
    );
    return undefined;
  }
}

/** One file of a program and all that it imports, as the makers of workers bundle it: a module of Node is an error. */
export async function bundleForWorker(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    // Without the paths of this repository: what is bundled is what is published.
    tsconfigRaw: {},
  });
  return outputFiles[0]!.text;
}

/** Sockets on ports that the system chooses: one for the default export, one for the other handler. */
const configuration = (variables: Record<string, string>, handler: string) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [
    (name = "default", address = "127.0.0.1:0", http = (), service = "worker"),
    (name = "${handler}", address = "127.0.0.1:0", http = (), service = (name = "worker", entrypoint = "${handler}")),
  ],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  bindings = [${Object.entries(variables).map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`)}],
  # No flag for Node: process, Buffer and node:* are not there.
  compatibilityDate = "2026-11-01",
);
`;

/** Starts workerd on loopback and answers where the worker's default export and its other handler listen. */
export async function startWorkerd(
  path: string,
  script: string,
  { variables, handler }: { variables: Record<string, string>; handler: string },
) {
  const folder = await mkdtemp(join(tmpdir(), "afterword-worker-"));
  await writeFile(join(folder, "worker.js"), script);
  await writeFile(join(folder, "worker.capnp"), configuration(variables, handler));
  const child = spawn(path, ["serve", join(folder, "worker.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  const ports = await listeningPorts(child.stdio[3] as Readable, 2);
  return {
    url: `http://127.0.0.1:${ports["default"]}`,
    handlerUrl: `http://127.0.0.1:${ports[handler]}`,
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** It writes one line for each socket that listens. Throws when it ends before all do; stderr says why then. */
async function listeningPorts(control: Readable, count: number): Promise<Record<string, number>> {
  const ports: Record<string, number> = {};
  for await (const line of createInterface({ input: control })) {
    const { socket, port } = JSON.parse(line) as { socket: string; port: number };
    ports[socket] = port;
    if (Object.keys(ports).length === count) return ports;
  }
  throw new Error("workerd ended before it listened");
}
