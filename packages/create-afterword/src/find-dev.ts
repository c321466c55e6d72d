import { type Choice, isForwarder } from "./choice.ts";
import { Problem } from "./problem.ts";
import { type DevServer } from "./templates.ts";

interface Project {
  publishableKey: string;
  secretKey: string;
  surveys: { id: string }[];
  isForwarding: boolean;
}

const isKey = (value: unknown, kind: "pk" | "sk") =>
  typeof value === "string" && new RegExp(`^aw_${kind}_[\\w-]+$`).test(value);

const unanswered = /^E(CONNREFUSED|NETUNREACH|HOSTUNREACH|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN)$/;

/** What answers at the port: the project of `dev`, something else, or nothing. */
async function projectAt(
  url: string,
  fetch: typeof globalThis.fetch,
): Promise<Project | "other" | "nothing"> {
  try {
    // Only this machine's programs and the page of `dev` itself can read it.
    const reply = await fetch(`${url}/dev/data/project`, { signal: AbortSignal.timeout(3000) });
    const project = (await reply.json()) as Project;
    const hasKeys = isKey(project.publishableKey, "pk") && isKey(project.secretKey, "sk");
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
export async function findDev(
  choice: Choice,
  fetch: typeof globalThis.fetch,
): Promise<DevServer | undefined> {
  const { devPort: port, template } = choice;
  const url = `http://localhost:${port}`;
  const project = await projectAt(url, fetch);
  if (project === "nothing") return undefined;
  if (project === "other")
    throw new Problem(
      `Port ${port} is in use by another program: end that, or choose another with --dev-port.`,
      1,
    );
  if (!project.surveys.some(({ id }) => id === template.surveyId))
    throw new Problem(
      `The afterword-server dev at ${url} has no survey "${template.surveyId}", which the template asks with: end it, or choose another port with --dev-port.`,
      1,
    );
  if (isForwarder(choice) && project.isForwarding)
    throw new Problem(
      `The afterword-server dev at ${url} forwards all scores itself: start it again with --no-forward, or choose another port with --dev-port.`,
      1,
    );
  return { url, publishableKey: project.publishableKey, secretKey: project.secretKey };
}
