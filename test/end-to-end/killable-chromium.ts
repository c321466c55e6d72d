import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { chromiumArguments } from "../chromium.ts";

interface Reply {
  id?: number;
  result?: Record<string, never>;
  error?: { message: string };
}

type Send = (method: string, params?: object, sessionId?: string) => Promise<Record<string, never>>;

/** A tab that can be hidden, frozen and crashed, unlike Playwright's, which are visible and focused at all times. */
export interface Tab {
  evaluate<Result>(expression: string): Promise<Result>;
  /** By minimising its window. */
  hide(): Promise<unknown>;
  show(): Promise<unknown>;
  freeze(): Promise<unknown>;
  /** Ends its renderer as the kernel does to a process. */
  crash(): void;
  /** As the person does: events of the page's end are fired. */
  close(): Promise<unknown>;
}

export interface KillableChromium {
  open(url: string): Promise<Tab>;
  /** Where it keeps the pages' storage. */
  profile: string;
  /** Ends the whole browser without notice. */
  kill(): Promise<void>;
}

async function connect(address: string): Promise<{ send: Send; socket: WebSocket }> {
  const socket = new WebSocket(address);
  await once(socket, "open");
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.addEventListener("message", ({ data }) => {
    const reply = JSON.parse(data as string) as Reply;
    if (reply.id) waiting.get(reply.id)?.(reply);
  });
  let last = 0;
  const send: Send = async (method, params = {}, sessionId) => {
    const id = ++last;
    const reply = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result!;
  };
  return { send, socket };
}

async function openTab(send: Send, url: string): Promise<Tab> {
  const { targetId } = await send("Target.createTarget", { url, newWindow: true });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const evaluate: Tab["evaluate"] = async <Result>(expression: string) => {
    const given = { expression, awaitPromise: true, returnByValue: true };
    const { result } = await send("Runtime.evaluate", given, sessionId);
    return (result as { value?: Result } | undefined)?.value as Result;
  };
  const untilHidden = () =>
    evaluate(`new Promise((done) => {
      if (document.hidden) done();
      document.addEventListener("visibilitychange", () => done());
    })`);
  const turn = async (windowState: "minimized" | "normal") => {
    const { windowId } = await send("Browser.getWindowForTarget", { targetId });
    await send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
  };
  return {
    evaluate,
    async hide() {
      await turn("minimized");
      await untilHidden();
    },
    show: () => turn("normal"),
    async freeze() {
      await send("Page.setWebLifecycleState", { state: "frozen" }, sessionId);
      // A frozen page runs no promises: what its last event did is visible only to scripts of the debugger.
      for (let isHidden; !isHidden;) isHidden = await evaluate("window.isFrozen");
    },
    crash: () => void send("Page.crash", {}, sessionId),
    close: () => send("Page.close", {}, sessionId),
  };
}

/** Starts a Chromium with a profile on disk, which the next one may go on with. */
export async function startKillableChromium(
  executablePath: string,
  profile?: string,
): Promise<KillableChromium> {
  profile ??= await mkdtemp(join(tmpdir(), "afterword-profile-"));
  const given = [
    ...chromiumArguments,
    "--headless",
    "--remote-debugging-port=0",
    `--user-data-dir=${profile}`,
  ];
  const browser = spawn(executablePath, given, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(browser, "exit");
  const address = await new Promise<string>((resolve, reject) => {
    let text = "";
    browser.stderr.on("data", (part) => {
      text += part;
      const found = /ws:\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    browser.once("exit", () => reject(new Error(`Chromium ended: ${text}`)));
  });
  const { send, socket } = await connect(address);
  return {
    profile,
    open: (url) => openTab(send, url),
    async kill() {
      socket.close();
      browser.kill("SIGKILL");
      await ended;
    },
  };
}

export const removeProfile = (profile: string) =>
  rm(profile, { recursive: true, force: true, maxRetries: 9 });
