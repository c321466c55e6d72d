import { Child } from "./child.ts";
import { type Machine } from "./machine.ts";
import { packageManager } from "./package-manager.ts";

const answerWithinMs = 3000;

/** One attempt, where package managers by default try for up to two minutes. */
const oneAttempt = {
  npm_config_fetch_retries: "0",
  npm_config_fetch_timeout: "5000",
  pnpm_config_fetch_retries: "0",
  pnpm_config_fetch_timeout: "5000",
  YARN_HTTP_RETRY: "0",
  YARN_HTTP_TIMEOUT: "5000",
  BUN_CONFIG_HTTP_RETRY_COUNT: "0",
  PIP_RETRIES: "0",
  PIP_TIMEOUT: "5",
};

/** The registry as the package manager is set; `undefined` if it does not say. */
async function registryOf({ environment, folder }: Machine): Promise<string | undefined> {
  const manager = packageManager(environment["npm_config_user_agent"]);
  if (manager === "bun") return undefined;
  const line = await new Child([manager, "config", "get", "registry"], { folder, environment }).firstLine();
  return line?.startsWith("http") ? line.trim() : undefined;
}

/**
 * The variables for package managers. Where their registry does not answer, they make one attempt: without a network they
 * then fail at once, and behind a proxy of their own they work.
 */
export async function managerEnvironment(machine: Machine): Promise<NodeJS.ProcessEnv> {
  const { environment } = machine;
  const registry = await registryOf(machine);
  if (registry === undefined) return environment;
  const request = { method: "HEAD", signal: AbortSignal.timeout(answerWithinMs) };
  const reply = await machine.fetch(registry, request).catch(() => undefined);
  return reply ? environment : { ...oneAttempt, ...environment };
}
