import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { collectTemplates } from "../collect-templates.ts";
import { Programs } from "./child.ts";
import { type Machine } from "./creation.ts";
import { runCreate } from "./run-create.ts";

export const publishableKey = "aw_pk_of-a-running-dev";
export const secretKey = "aw_sk_of-a-running-dev";

/** What a running `dev` answers to programs of its machine. */
export const project = {
  publishableKey,
  secretKey,
  surveys: [{ id: "satisfaction" }, { id: "answer" }],
  isForwarding: false,
};

const failing = (code: string) => Promise.reject(new TypeError("fetch failed", { cause: { code } }));

/** A folder to create in, and what the program says there. */
export class Place implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "create-afterword-"));
  readonly folder = join(this.root, "work");
  readonly templates = join(this.root, "templates");
  out = "";
  error = "";
  readonly interruption = new AbortController();
  readonly programs = new Programs(this.interruption.signal);
  /** What answers at the port of `dev`: by default nothing listens there. */
  dev: object | string | undefined;
  /** Why nothing answers there. */
  failure = "ECONNREFUSED";
  /** By default no person is there to ask. */
  terminal: Machine["terminal"];
  environment: NodeJS.ProcessEnv = { ...process.env, npm_config_user_agent: "npm/11.0.0 node/v24" };

  constructor() {
    mkdirSync(this.folder);
    collectTemplates(this.templates);
  }

  /** A package manager in place of npm: a shell script that runs in the app's folder. */
  setNpm(script: string): void {
    const programs = join(this.root, "programs");
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, "npm"), `#!/bin/sh\n[ "$1" = config ] && exit\n${script}\n`);
    chmodSync(join(programs, "npm"), 0o755);
    this.environment = { ...this.environment, PATH: `${programs}${delimiter}${process.env["PATH"]}` };
  }

  async run(...words: string[]): Promise<number> {
    [this.out, this.error] = ["", ""];
    const machine: Machine = {
      environment: this.environment,
      folder: this.folder,
      templates: this.templates,
      version: "7.8.9",
      fetch: () =>
        this.dev === undefined ? failing(this.failure) : Promise.resolve(Response.json(this.dev)),
      terminal: this.terminal,
      print: (line) => (this.out += `${line}\n`),
      complain: (line) => (this.error += `${line}\n`),
      interrupted: this.interruption.signal,
      programs: this.programs,
    };
    return runCreate(words, machine);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** All files, with slashes. */
  files(): string[] {
    const names = readdirSync(this.folder, { recursive: true, encoding: "utf8" });
    return names.filter((name) => statSync(this.path(name)).isFile()).toSorted();
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
