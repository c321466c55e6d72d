import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Engine, keyActions } from "./engine.ts";
import { findProgram } from "./find-program.ts";

/** Debian's Firefox, driven over WebDriver BiDi, which it speaks by itself. */
export const firefoxPath = findProgram("firefox-esr") ?? findProgram("firefox");

type Send = <Result>(method: string, params: object) => Promise<Result>;

export async function startFirefox(): Promise<Engine> {
  const profile = mkdtempSync(join(tmpdir(), "afterword-firefox-"));
  // A window that is not in front tells its pages nothing about the focus, unless it is under test.
  writeFileSync(join(profile, "user.js"), 'user_pref("focusmanager.testmode", true);');
  const flags = ["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile];
  const child = spawn(firefoxPath!, flags, { stdio: ["ignore", "ignore", "pipe"] });
  const exit = once(child, "exit");
  const socket = new WebSocket(`${await addressIn(child.stderr)}/session`);
  await once(socket, "open");
  const send = messenger(socket);
  await send("session.new", { capabilities: {} });
  const { context } = await send<{ context: string }>("browsingContext.create", { type: "tab" });
  await send("browsingContext.activate", { context });
  return {
    open: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
    back: () => send("browsingContext.traverseHistory", { context, delta: -1 }),
    press: (...pressed) => send("input.performActions", { context, actions: keyActions(pressed) }),
    async evaluate<Value>(expression: string) {
      const script = `(async () => JSON.stringify({ value: await (${expression}) }))()`;
      const params = { expression: script, target: { context }, awaitPromise: true };
      const reply = await send<{ result?: { value: string }; exceptionDetails?: { text: string } }>(
        "script.evaluate",
        params,
      );
      if (!reply.result) throw new Error(reply.exceptionDetails?.text);
      return (JSON.parse(reply.result.value) as { value: Value }).value;
    },
    async stop() {
      child.kill();
      await exit;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function addressIn(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const address = /ws:\/\/\S+/.exec(line)?.[0];
    if (address) {
      stderr.resume();
      return address;
    }
  }
  throw new Error("Firefox ended before it told its address");
}

interface Reply {
  id: number;
  result: never;
  error?: string;
  message?: string;
}

/** Each message has a number, and its answer has the same. */
function messenger(socket: WebSocket): Send {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error, message } = JSON.parse(data as string) as Reply;
    const one = waiting.get(id);
    waiting.delete(id);
    if (error) one?.reject(new Error(`${error}: ${message}`));
    else one?.resolve(result);
  });
  let last = 0;
  return (method, params) => {
    const id = ++last;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
}
