import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startServer } from "@afterword/server";
import { expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { freePort } from "../free-port.ts";

const caddyfile = readFileSync(fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url)), "utf8");
const hasCaddy = spawnSync("caddy", ["version"]).status === 0;
if (!hasCaddy) console.warn("skipped: no Caddy to try the Caddyfile with");

/** Caddy with the file, on this machine's addresses and without TLS. */
async function startCaddy(upstream: string) {
  const folder = mkdtempSync(join(tmpdir(), "afterword-caddy-"));
  const url = `http://127.0.0.1:${await freePort()}`;
  const own = caddyfile
    .replace("feedback.example.com", url)
    .replace("127.0.0.1:8787", new URL(upstream).host);
  writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n}\n${own}`);
  const caddy = spawn("caddy", ["run", "--config", join(folder, "Caddyfile")], {
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface(caddy.stderr))
    if (line.includes("serving initial configuration")) break;
  caddy.stderr.resume();
  return {
    url,
    async [Symbol.asyncDispose]() {
      caddy.kill("SIGTERM");
      await once(caddy, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

it.skipIf(!hasCaddy)(
  "the Caddyfile gives the server each client's own address, which no client can forge",
  async () => {
    const limits = { public: { perMinute: 1, burst: 1 } };
    const config = { trustedProxies: 1, rateLimits: limits, projects: [project("p")] };
    await using service = await startServer({ config });
    await using proxy = await startCaddy(service.url);
    const { publishableKey } = new ApiClient(proxy.url, keysOf("p")).keys;
    const ask = async (forged: string) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": forged };
      const path = `/v1/sdk/bootstrap?key=${publishableKey}`;
      return (await fetch(proxy.url + path, { method: "POST", headers, body: "{}" })).status;
    };
    expect([await ask("192.0.2.1"), await ask("192.0.2.2")]).toEqual([200, 429]);
    const ready = (await (await fetch(`${proxy.url}/readyz`)).json()) as { proxies: string };
    expect(ready.proxies).toBe("trusted");
  },
);
