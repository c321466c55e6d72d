import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgram, runProgram } from "./program.ts";
import { type ExitCode, type Terminal } from "./terminal.ts";

export const noon = Date.parse("2026-03-01T12:00:00.000Z");

export interface Outcome {
  code: ExitCode;
  /** What stood on stdout and stderr. */
  out: string;
  error: string;
  /** Lines of the log, which goes to stderr too. */
  log: string[];
  /** Every text that was shown as progress. */
  progress: string[];
  json: () => Record<string, unknown>;
}

export interface Circumstances {
  /** The typed answer to a question; absent without a terminal. */
  typed?: string;
  environment?: Record<string, string>;
  now?: number;
  isWatched?: boolean;
  /** What Ctrl-C gives. */
  interruption?: AbortSignal;
  /** Name of the machine. */
  host?: string;
  /** Hears each line of stdout at once, of a command that goes on. */
  onPrint?: (line: string) => void;
}

/** The program in a folder of its own, with everything it touches of a process held in the hand. */
export class AfterwordServer implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "afterword-cli-"));

  /** Creates a server with the project `shop`. */
  static async withShop(flags = ""): Promise<AfterwordServer> {
    const server = new AfterwordServer();
    await server.run(`project create shop ${flags}`.trim());
    return server;
  }

  file(name: string, text?: string): string {
    const path = join(this.folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  }

  get database(): string {
    return this.file("afterword.db");
  }

  async run(words: string, circumstances: Circumstances = {}): Promise<Outcome> {
    return this.runWords([...words.split(" "), "--db", this.database], circumstances);
  }

  /** Runs `apply` with a config file of the project `shop`; surveys are active unless told otherwise. */
  async apply(surveys: object[], { project = {}, flags = "" } = {}): Promise<Outcome> {
    const listed = surveys.map((survey) => ({ status: "active", ...survey }));
    const shop = { id: "shop", name: "shop", allowedOrigins: [], ...project, surveys: listed };
    const file = this.file("apply.json", JSON.stringify({ projects: [shop] }));
    return this.run(`apply ${file} ${flags}`.trim());
  }

  /** The page with results of the project `shop`. */
  async resultsPage(flags = ""): Promise<string> {
    const file = this.file("results.html");
    await this.run(`results --project shop --html ${file}${flags}`);
    return readFileSync(file, "utf8");
  }

  async runWords(words: string[], circumstances: Circumstances = {}): Promise<Outcome> {
    const { typed, environment = {}, now = noon, isWatched = false } = circumstances;
    const [out, error, log, progress]: string[][] = [[], [], [], []];
    let time = now;
    let code: ExitCode = 0;
    const terminal: Terminal = {
      environment,
      // Every look at the clock costs a second, so that all progress is old enough to be shown anew.
      clock: { now: () => (isWatched ? (time += 1000) : time) },
      print(line) {
        out!.push(line);
        circumstances.onPrint?.(line);
      },
      write: async (text) => void out!.push(text),
      complain: (line) => void error!.push(line),
      operator: "operator-of-the-tests",
      host: circumstances.host ?? "machine-of-the-tests",
      setExitCode: (given) => void (code = given),
      log: { write: (line) => void log!.push(line), flush: async () => true },
      showProgress: (text) => void (isWatched && progress!.push(text)),
      ask:
        typed === undefined
          ? undefined
          : async (question) => {
              error!.push(question);
              return typed;
            },
      onInterrupt: () => circumstances.interruption ?? new AbortController().signal,
      onStop: () => undefined,
      giveWay: () => undefined,
    };
    await runProgram(createProgram(terminal, "0.0.0"), words, terminal);
    const text = out!.join("\n");
    return {
      code,
      out: text,
      error: error!.join("\n"),
      log: log!,
      progress: progress!,
      json: () => JSON.parse(text) as Record<string, unknown>,
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const survey = (slug: string, rest: object = {}) => ({
  id: slug,
  slug,
  type: "csat",
  question: "How was it?",
  presentation: "corner",
  trigger: "manual",
  ...rest,
});
