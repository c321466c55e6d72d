import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Creation } from "./creation.ts";
import { type DevServer } from "./dev-server.ts";
import { type Excerpt } from "./templates.ts";

export function templateFiles({ templates, name }: Creation): string[] {
  const folder = join(templates, name);
  return globSync("**", { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile());
}

/** A file of the template, with the keys filled in. */
export function readTemplate({ templates, name }: Creation, file: string, dev?: DevServer): string {
  const text = readFileSync(join(templates, name, file), "utf8");
  if (!dev) return text;
  return text.replaceAll("{{publishableKey}}", dev.publishableKey).replaceAll("{{baseUrl}}", dev.url);
}

/** The lines for the file of variables. */
export function variables({ template }: Creation, { secretKey, publishableKey, url }: DevServer): string {
  const { pagePrefix: prefix, isForwarder } = template;
  const ofServer = `AFTERWORD_SECRET_KEY=${secretKey}\nAFTERWORD_BASE_URL=${url}\n`;
  const ofPage = `${prefix}AFTERWORD_KEY=${publishableKey}\n${prefix}AFTERWORD_BASE_URL=${url}\n`;
  const ofForwarder = `AFTERWORD_PUBLISHABLE_KEY=${publishableKey}\n`;
  return ofServer + (prefix ? ofPage : "") + (isForwarder ? ofForwarder : "");
}

/** Lines of a text without their common indentation. */
export function excerptOf(text: string, excerpt: Excerpt): string {
  const [from, to] = typeof excerpt === "string" ? [excerpt, excerpt] : excerpt;
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.includes(from));
  const last = lines.findIndex((line, index) => index >= first && line.includes(to));
  const shown = lines.slice(first, last + 1);
  const indentation = Math.min(...shown.filter(Boolean).map((line) => line.search(/\S/)));
  return shown.map((line) => line.slice(indentation)).join("\n");
}

/** The packages that the app runs with, and the command that starts it with these in the path. */
export function requirements(creation: Creation): { packages: string[]; start: string } {
  const { manifest, envFile } = creation.template;
  const text = readTemplate(creation, manifest);
  if (manifest === "requirements.txt") {
    const start = `uvicorn main:app --port 3000 --env-file ${envFile}`;
    return { packages: text.match(/^[\w-]+/gm) ?? [], start };
  }
  const { dependencies, scripts } = JSON.parse(text) as Record<string, Record<string, string>>;
  return { packages: Object.keys(dependencies!), start: scripts!["dev"]! };
}
