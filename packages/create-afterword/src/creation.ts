import type { CommonOptions } from "@clack/prompts";
import { type Programs } from "./child.ts";
import { type NewFiles } from "./new-files.ts";
import { type Template } from "./templates.ts";

/** What the program takes from the outside. */
export interface Machine {
  environment: NodeJS.ProcessEnv;
  /** The current folder. */
  folder: string;
  /** Where the templates are, one folder each, and the `gitignore` of all apps. */
  templates: string;
  version: string;
  fetch: typeof fetch;
  /** Where a person can be asked, by default with the streams of this process; `undefined` if none is there. */
  terminal: CommonOptions | undefined;
  /** A line for standard output. */
  print(line: string): void;
  /** A line for standard error. */
  complain(line: string): void;
  /** Aborts when the program is asked to end. */
  interrupted: AbortSignal;
  programs: Programs;
}

/** What is to be made, where and by which programs. */
export interface Creation extends Machine {
  /** Of the template. */
  name: string;
  template: Template;
  /** The folder of the app, as the person gave it. */
  given: string;
  files: NewFiles;
  /** Where the app listens; `undefined` for a program without a page. */
  port: number | undefined;
  devPort: number;
  /** The program that runs `create`, which installs too. */
  manager: "npm" | "pnpm" | "yarn" | "bun";
}
