import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../free-port.ts";

/** As in a terminal of its own: pnpm and the test runner, which start this, leave their settings to programs. */
export const ofTerminal = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !/^(npm_|pnpm_|vitest|node_env$|node_options$)/i.test(name),
    ),
  );

/** Runs a command in a folder. @param registry where all packages come from */
function inTerminal(folder: string, registry: string, command: string, ...words: string[]) {
  return spawn(command, words, {
    cwd: folder,
    env: {
      ...ofTerminal(process.env),
      npm_config_registry: registry,
      npm_config_yes: "true",
      NEXT_TELEMETRY_DISABLED: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
}

/** An app that `npm create afterword` has made in a temporary folder, and runs beside `afterword-server dev`. */
export class CreatedApp implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "afterword-create-"));
  url = "";
  devUrl = "";
  #end = async () => {};
  #wake = () => {};

  static async start(template: string, registry: string): Promise<CreatedApp> {
    const created = new CreatedApp();
    const [port, devPort] = [await freePort(), await freePort()];
    const flags = ["--template", template, "--port", String(port), "--dev-port", String(devPort)];
    const words = ["create", "afterword@latest", "--", "my äpp", ...flags];
    const npm = inTerminal(created.folder, registry, "npm", ...words);
    created.#follow(npm);
    try {
      created.devUrl = (await created.line(/^Afterword: +(http\S+)/, () => npm.exitCode !== null))[1]!;
      created.url = `http://localhost:${port}/`;
      return created;
    } catch (error) {
      await created[Symbol.asyncDispose]();
      throw error;
    }
  }

  #follow(program: ReturnType<typeof inTerminal>): void {
    const exit = once(program, "close");
    const earlier = this.#end;
    this.#end = async () => {
      if (program.exitCode === null && program.signalCode === null) process.kill(-program.pid!, "SIGTERM");
      await exit;
      await earlier();
    };
    for (const stream of [program.stdout, program.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        this.lines.push(line);
        this.#wake();
      });
    void exit.then(() => this.#wake());
  }

  /** Ends it as Ctrl-C does, and enters what it has printed for later: each line in a terminal of its own. */
  async startAgain(registry: string): Promise<string[]> {
    await this.#end();
    const at = this.lines.findIndex((line) => line.endsWith("Later, in two terminals:"));
    const commands = this.lines.slice(at + 1, at + 3).map((line) => line.trim());
    // npx keeps a version that it has run, whatever the registry has under that number today.
    const anew = 'export npm_config_cache="$PWD/npm-cache"';
    for (const command of commands)
      this.#follow(inTerminal(this.folder, registry, "sh", "-c", `${anew}; ${command}`));
    return commands;
  }

  /** Waits until it has printed a line. */
  async line(pattern: RegExp, hasEnded = () => false): Promise<RegExpExecArray> {
    for (;;) {
      const found = this.lines.map((line) => pattern.exec(line)).find(Boolean);
      if (found) return found;
      if (hasEnded()) throw new Error(`It ended:\n${this.lines.join("\n")}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** As Ctrl-C does, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
