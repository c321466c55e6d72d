import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Engine, keyActions } from "./engine.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "../free-port.ts";

/** Debian's WebKit, driven by W3C WebDriver in an invisible window. */
export const webkitPath =
  findProgram("xvfb-run") &&
  findProgram("WebKitWebDriver") &&
  findProgram("/usr/lib/*/webkit2gtk-4.*/MiniBrowser");

export async function startWebKit(): Promise<Engine> {
  const port = await freePort();
  const command = ["-a", "WebKitWebDriver", `--port=${port}`, "--host=127.0.0.1"];
  // A group of its own, so that the window's server ends with it.
  const child = spawn("xvfb-run", command, { stdio: "ignore", detached: true });
  const exit = once(child, "exit");
  const send = async <Value>(method: string, path: string, body?: object): Promise<Value> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      body: body && JSON.stringify(body),
    });
    const { value } = (await answer.json()) as { value: Value & { message?: string } };
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.message}`);
    return value;
  };
  const browser = { "webkitgtk:browserOptions": { binary: webkitPath, args: ["--automation"] } };
  await untilItAnswers(() => send("GET", "/status"));
  const capabilities = { alwaysMatch: browser };
  const { sessionId } = await send<{ sessionId: string }>("POST", "/session", { capabilities });
  const session = `/session/${sessionId}`;
  return {
    open: (url) => send("POST", `${session}/url`, { url }),
    back: () => send("POST", `${session}/back`, {}),
    press: (...pressed) => send("POST", `${session}/actions`, { actions: keyActions(pressed) }),
    evaluate: (expression) =>
      send("POST", `${session}/execute/async`, {
        script: `const done = arguments[0]; Promise.resolve((${expression})).then(done)`,
        args: [],
      }),
    async stop() {
      await send("DELETE", session).catch(() => undefined);
      process.kill(-child.pid!, "SIGTERM");
      await exit;
    },
  };
}

async function untilItAnswers(ask: () => Promise<unknown>) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answers = await ask().then(
      () => true,
      () => false,
    );
    if (answers) return;
    await delay(50);
  }
  throw new Error("WebKit's driver did not answer within ten seconds");
}
