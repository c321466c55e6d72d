import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { ofTerminal } from "./created-app.ts";

/** A block of a page: commands, or a file of the reader's own. */
export interface Block {
  language: string;
  code: string;
  file?: string;
}

const block =
  /(?:<!-- from (?:the dev page: [^,]+, |(?:examples|packages\/create-afterword\/templates)\/[\w-]+\/)?(.+) -->\n)?^```(\w+)\n([\s\S]*?)^```$/gm;
const isOfVariables = (code: string) => /^([A-Z_]+=\S+\n)+$/.test(code);

export const sourceOf = (page: string) =>
  readFileSync(new URL(`../../docs/start/${page}.md`, import.meta.url), "utf8");

export function blocksOf(page: string): Block[] {
  return [...sourceOf(page).matchAll(block)].map(([, from, language, code]) => {
    const file = isOfVariables(code!) ? ".env" : from;
    return { language: language!, code: code!, ...(file && { file }) };
  });
}

/** Programs that go on, and the port in `docs/start` at which one can tell that they have started. */
const goingOn: [RegExp, port?: string][] = [
  [/^npx (-y )?(afterword-server|@afterword\/server) dev/, "4330"],
  [/^(node .*server\.ts|npm run dev|npm start|.*uvicorn main:app)/, "3000"],
  [/^afterword-server serve/, "8787"],
  [/afterword forward (?!.*--once)/],
];
const ports = { "4330": 0, "3000": 0, "8787": 0, "8788": 0 };

/** Someone who enters what a page says, in a folder of their own. Only ports, keys and the registry are the test's. */
export class Reader implements AsyncDisposable {
  readonly folder: string;
  /** What each command printed, in their order. */
  readonly printed: string[] = [];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #ports: typeof ports;
  readonly #programs = new Map<string, { child: ChildProcess; closed: Promise<unknown> }>();

  private constructor(registry: string, free: typeof ports) {
    this.folder = mkdtempSync(join(tmpdir(), "afterword-reader-"));
    this.#ports = free;
    const bin = join(this.folder, "node_modules/.bin");
    this.#environment = {
      ...ofTerminal(process.env),
      PATH: `${bin}:${process.env["PATH"]}`,
      PORT: String(free["3000"]),
      npm_config_registry: registry,
      npm_config_yes: "true",
      NO_COLOR: "1",
    };
  }

  static async arrive(registry: string): Promise<Reader> {
    const free = { ...ports };
    for (const port of Object.keys(free) as (keyof typeof ports)[]) free[port] = await freePort();
    return new Reader(registry, free);
  }

  /** The address here of what a page has on a port. */
  url(port: keyof typeof ports): string {
    return `http://localhost:${this.#ports[port]}`;
  }

  /** Of the project that `dev` has made. */
  keys(): { publishableKey: string; secretKey: string } {
    return JSON.parse(this.read(".afterword/config.json")).projects[0];
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file: string, code: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#here(code));
  }

  #here(code: string): string {
    const { 8788: adminPort, 8787: port, 4330: devPort, 3000: appPort } = this.#ports;
    const replaced = code
      .replaceAll(/\b4330\b/g, String(devPort))
      .replaceAll(/\b(3000|5173|8080)\b/g, String(appPort))
      .replaceAll(/\b8787\b/g, String(port))
      .replaceAll(/\b8788\b/g, String(adminPort));
    if (!/aw_[ps]k_…/.test(replaced)) return replaced;
    const { publishableKey, secretKey } = this.keys();
    return replaced.replaceAll("aw_pk_…", publishableKey).replaceAll("aw_sk_…", secretKey);
  }

  /** Enters commands, one after the other; a program that goes on is left running. @throws Error with what a command printed */
  async enter(commands: string): Promise<void> {
    for (const line of this.#here(commands).trim().split("\n")) {
      const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? [];
      const program = goingOn.find(([pattern]) => pattern.test(line));
      if (name) this.#environment[name] = value;
      else if (program) await this.#start(line, program[1] as keyof typeof ports | undefined);
      else this.printed.push(await this.#run(line));
    }
  }

  #spawn(name: string, command: string): ChildProcess {
    const child = spawn("bash", ["-euo", "pipefail", "-c", command], {
      cwd: this.folder,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#programs.set(name, { child, closed: once(child, "close") });
    return child;
  }

  async #run(line: string): Promise<string> {
    // `ask` asks only in a terminal.
    const command = line.startsWith("npx afterword ask")
      ? `printf '5\\r\\r' | script --quiet --return --command "${line}" /dev/null`
      : line;
    const child = this.#spawn(line, command);
    const [out, error, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, "close"),
    ]);
    if (code !== 0) throw new Error(`${line} ended with ${code}:\n${out}${error}`);
    return out;
  }

  async #start(line: string, port: keyof typeof ports | undefined): Promise<void> {
    const name = port ?? line;
    await this.end(name);
    // The others take theirs from PORT.
    const isByFlag = (port === "4330" || port === "8787") && !line.includes(" --port ");
    const flag = isByFlag ? ` --port ${this.#ports[port]}` : "";
    const child = this.#spawn(name, line + flag);
    let out = "";
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (data) => (out += data));
    // `dev` listens before it can answer, and says 503 until then.
    const isReady = async () => {
      const reply = port && (await fetch(this.url(port)).catch(() => undefined));
      return !port || (reply && reply.status !== 503);
    };
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error(`${line} ended with ${child.exitCode}:\n${out}`);
      await setTimeout(100);
    }
  }

  /** Ends the program at a port of the page, or another one by its line, as Ctrl-C does. */
  async end(name: string): Promise<void> {
    const program = this.#programs.get(name);
    this.#programs.delete(name);
    if (!program) return;
    if (program.child.exitCode === null) process.kill(-program.child.pid!, "SIGINT");
    await program.closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#programs.keys()) await this.end(name);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
