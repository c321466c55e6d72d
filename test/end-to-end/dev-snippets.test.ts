import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../free-port.ts";
import { sharedBrowser } from "./shared-browser.ts";
import { startWithSnippets } from "./shown-snippets.ts";

const packages = fileURLToPath(new URL("../../examples/mint-after-task/node_modules", import.meta.url));

// server-dev.test.ts runs the one for Hono, with its page.
it.each(["Express", "Fastify"])(
  "the development page's server for %s mints for a finished run",
  async (stack) => {
    const { files, stop } = await startWithSnippets(await sharedBrowser(), { server: stack });
    onTestFinished(stop);
    const folder = mkdtempSync(join(tmpdir(), "afterword-snippet-"));
    symlinkSync(packages, join(folder, "node_modules"));
    mkdirSync(join(folder, "public"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const port = await freePort();
    for (const { file, code } of files.filter(({ file }) => !file.includes("/")))
      // Fastify's has no variable for it.
      writeFileSync(join(folder, file), code.replace("port: 3000", `port: ${port}`));
    const environment = { ...process.env, PORT: String(port) };
    const words = ["--env-file=.env", "server.ts"];
    const server = spawn(process.execPath, words, { cwd: folder, env: environment, stdio: "inherit" });
    const ended = once(server, "exit");
    onTestFinished(async () => {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true });
    });
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(
        () =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ question: "Where is my order?", visitor: "ada" });
    const reply = await fetch(`${url}/api/answer`, { method: "POST", headers, body });
    expect(await reply.json()).toEqual({
      text: "You asked: Where is my order?",
      run: {
        tokens: expect.objectContaining({ satisfaction: expect.stringMatching(/^st2\./) }),
        sessionId: expect.any(String),
      },
    });
  },
);
