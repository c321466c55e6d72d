import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Creation } from "./creation.ts";
import { runsPackage } from "./packages.ts";
import { Problem, refusePort } from "./problem.ts";

/** A running `afterword-server dev`. */
export interface DevServer {
  /** Without a trailing slash. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Whether this program has started it. */
  isOurs?: boolean;
}

interface Project extends DevServer {
  surveys: { id: string }[];
  isForwarding: boolean;
}

/** What follows `afterword-server dev`, to start it as here. */
export const devFlags = ({ devPort, template }: Creation): string =>
  `${devPort === 4330 ? "" : ` --port ${devPort}`}${template.isForwarder ? " --no-forward" : ""}`;

const unanswered = /^E(CONNREFUSED|NETUNREACH|HOSTUNREACH|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN)$/;

/** What answers at the port: the project of `dev`, something else, or nothing. */
async function projectAt(url: string, { fetch }: Creation): Promise<Project | "other" | "nothing"> {
  try {
    // Only this machine's programs and the page of `dev` itself can read it.
    const reply = await fetch(`${url}/dev/data/project`, { signal: AbortSignal.timeout(3000) });
    const project = (await reply.json()) as Project;
    const hasKeys = /^aw_pk_[\w-]+$/.test(project.publishableKey) && /^aw_sk_[\w-]+$/.test(project.secretKey);
    return hasKeys && Array.isArray(project.surveys) ? project : "other";
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    return unanswered.test(code ?? "") ? "nothing" : "other";
  }
}

/**
 * Finds the `afterword-server dev` of this machine. Resolves to `undefined` if nothing listens.
 * @throws Problem if another program does, or if it has not what a template needs
 */
export async function findDev(creation: Creation): Promise<DevServer | undefined> {
  const { devPort, template } = creation;
  const url = `http://localhost:${devPort}`;
  const project = await projectAt(url, creation);
  if (project === "nothing") return undefined;
  if (project === "other") refusePort(devPort, "dev-port");
  const it = `The afterword-server dev at ${url}`;
  const orPort = "or choose another port with --dev-port.";
  if (!project.surveys.some(({ id }) => id === template.surveyId))
    throw new Problem(
      `${it} has no survey "${template.surveyId}", which the template asks with: end it, ${orPort}`,
    );
  if (template.isForwarder && project.isForwarding)
    throw new Problem(`${it} forwards all scores itself: start it again with --no-forward, ${orPort}`);
  return { url, publishableKey: project.publishableKey, secretKey: project.secretKey };
}

/** The program as it is installed in the folder, or else from the registry. */
function devCommand({ files, manager, version }: Creation): string[] {
  try {
    const { resolve } = createRequire(join(files.folder, "package.json"));
    const manifest = resolve("@afterword/server/package.json");
    const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
    return [process.execPath, join(dirname(manifest), bin["afterword-server"]!)];
  } catch {
    return `${runsPackage[manager]} @afterword/server@${version}`.split(" ");
  }
}

/** Starts `afterword-server dev` with its data in the folder. @throws Problem with what it says is wrong */
export async function startDev(creation: Creation): Promise<DevServer> {
  const { devPort, interrupted, programs, template } = creation;
  const { folder } = creation.files;
  const flags = ["--json", "--port", String(devPort), "--folder", folder];
  if (template.isForwarder) flags.push("--no-forward");
  const program = programs.start([...devCommand(creation), "dev", ...flags], { ...creation, folder });
  const line = await program.firstLine();
  interrupted.throwIfAborted();
  if (line?.startsWith("{")) return { ...(JSON.parse(line) as DevServer), isOurs: true };
  await program.ended;
  throw new Problem(`Could not start afterword-server dev: ${program.complaint()}.`);
}
