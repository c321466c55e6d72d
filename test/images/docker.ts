import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

const command = process.env["DOCKER_COMMAND"];

/** Whether `start-engine.sh` has started an engine for these tests; if not, one line says so. */
export const hasEngine = command !== undefined;
if (!hasEngine)
  console.warn(
    "skipped: no container engine, since DOCKER_COMMAND is not set; test/images/start-engine.sh starts one",
  );

/** How a run of the docker program ended. */
export interface Ended {
  code: number;
  out: string;
  complaint: string;
}

/** Runs the docker program with these words, for four minutes at most, and tells how it ended, whatever its exit code. */
export async function tryDocker(words: string[]): Promise<Ended> {
  const options = { maxBuffer: 16 * 1024 * 1024, timeout: 240_000 };
  try {
    const { stdout, stderr } = await promisify(execFile)(command!, words, options);
    return { code: 0, out: stdout.trim(), complaint: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout.trim(), complaint: stderr };
  }
}

/**
 * Runs the docker program with these words and gives what it prints.
 * @throws Error with what it complained of when its exit code is not 0
 */
export async function docker(...words: string[]): Promise<string> {
  const { code, out, complaint } = await tryDocker(words);
  if (code !== 0) throw new Error(`docker ${words[0]} ended with ${code}: ${complaint.slice(-4000)}`);
  return out;
}

/** What production would give a container: nothing to write on, and no rights. */
export const locked = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];

/** On the network of this machine, where the tests reach it and it reaches them. */
export const onThisMachine = ["--network", "host"];

/** Bytes of an image that are not its base's. */
export async function ownBytes(image: string, base: string): Promise<number> {
  const [whole, below] = await Promise.all(
    [image, base].map(async (name) =>
      Number(await docker("image", "inspect", "--format", "{{.Size}}", name)),
    ),
  );
  return whole! - below!;
}

/** Stops a container as an orchestrator does, by SIGTERM; gives its exit code and how long it took. */
export async function stopped(container: string): Promise<{ code: number; seconds: number }> {
  const since = performance.now();
  await docker("stop", "--time", "30", container);
  const seconds = (performance.now() - since) / 1000;
  return { code: Number(await docker("inspect", "--format", "{{.State.ExitCode}}", container)), seconds };
}

/** Asks until an answer is there; gives up after 30 seconds, saying what was waited for. */
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
): Promise<Answer> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer) return answer;
    if (Date.now() > giveUpAt) throw new Error(`Not within 30 seconds: ${what}`);
    await pause(100);
  }
}
