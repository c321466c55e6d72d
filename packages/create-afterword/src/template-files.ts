import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Choice } from "./choice.ts";
import { type DevServer, type Excerpt, type Template } from "./templates.ts";

/** The files of one template, with the keys filled in. */
export class TemplateFiles {
  readonly #folder: string;
  readonly #template: Template;

  /** @param templates holds a folder for each template */
  constructor(templates: string, { name, template }: Choice) {
    this.#folder = join(templates, name);
    this.#template = template;
  }

  names(): string[] {
    const isFile = (name: string) => statSync(join(this.#folder, name)).isFile();
    return globSync("**", { cwd: this.#folder }).filter(isFile).toSorted();
  }

  read(name: string, dev?: DevServer): string {
    const text = readFileSync(join(this.#folder, name), "utf8");
    if (!dev) return text;
    return text.replaceAll("{{publishableKey}}", dev.publishableKey).replaceAll("{{baseUrl}}", dev.url);
  }

  variables(dev: DevServer): string {
    const lines = Object.entries(this.#template.variables(dev)).map(([name, value]) => `${name}=${value}\n`);
    return lines.join("");
  }

  /** Lines of a file without their common indentation. */
  excerpt(file: string, excerpt: Excerpt, dev: DevServer): string {
    const [from, to] = typeof excerpt === "string" ? [excerpt, excerpt] : excerpt;
    const lines = this.read(file, dev).split("\n");
    const first = lines.findIndex((line) => line.includes(from));
    const last = lines.findIndex((line, index) => index >= first && line.includes(to));
    const shown = lines.slice(first, last + 1);
    const indentation = Math.min(...shown.filter(Boolean).map((line) => line.search(/\S/)));
    return shown.map((line) => line.slice(indentation)).join("\n");
  }

  /** The packages that it runs with. */
  packages(): string[] {
    const text = this.read(this.#template.manifest);
    if (this.#template.manifest === "requirements.txt") return text.match(/^[\w-]+/gm) ?? [];
    return Object.keys((JSON.parse(text) as { dependencies: object }).dependencies);
  }

  /** How it starts, with its packages in the path. */
  startCommand(): string {
    const { manifest, envFile } = this.#template;
    if (manifest === "requirements.txt") return `uvicorn main:app --port 3000 --env-file ${envFile}`;
    return (JSON.parse(this.read(manifest)) as { scripts: { dev: string } }).scripts.dev;
  }
}
