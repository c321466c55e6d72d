import { AfterwordError } from "../errors/afterword-error.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "./exit-code.ts";
import {
  connectionOf,
  makeClient,
  publishableKeyOf,
  readConfigFile,
  type ConfigFile,
  type ConnectionFlags,
} from "./settings.ts";
import { writeJson, type Shell } from "./shell.ts";
import { makeSinks } from "./sink-choice.ts";

export interface DoctorFlags extends ConnectionFlags {
  sink?: string[];
  out?: string;
}

interface Finding {
  check: string;
  result: "ok" | "warning" | "failed";
  detail: string;
}

/** Differences of clocks above this make tokens look expired or not yet valid. */
const largestSkewInMs = 60_000;
/** A queue whose oldest row is older than this is not being delivered. */
const worryingLagInMs = 15 * 60_000;

/** `afterword doctor`: looks at everything that delivery needs, and changes nothing. */
export async function doctor(flags: DoctorFlags, shell: Shell): Promise<ExitCode> {
  const file = await readConfigFile(flags.config, shell);
  let exitCode: ExitCode = exitCodes.done;
  const report = (finding: Finding) => {
    if (flags.json) writeJson(shell, finding);
    else shell.writeOut(`${finding.result.padEnd(8)} ${finding.check}: ${finding.detail}\n`);
  };
  for (const [check, examine] of Object.entries(checks)) {
    try {
      const findings = await examine(flags, file, shell);
      for (const finding of findings) report({ check, ...finding });
    } catch (error) {
      const detail = AfterwordError.isInstance(error) ? error.message : String(error);
      report({ check, result: "failed", detail });
      if (exitCode === exitCodes.done) exitCode = exitCodeOf(error);
    }
  }
  return exitCode;
}

type Check = (flags: DoctorFlags, file: ConfigFile, shell: Shell) => Promise<Omit<Finding, "check">[]>;

const checks: Record<string, Check> = {
  "service": examineService,
  "secret key and queue": examineQueue,
  "publishable key": examinePublishableKey,
  "sink": examineSink,
};

async function examineService(flags: DoctorFlags, file: ConfigFile, shell: Shell): ReturnType<Check> {
  const { baseUrl } = connectionOf(flags, file, shell);
  if (!baseUrl) throw new ConfigurationError("no base URL: pass --base-url or set AFTERWORD_BASE_URL");
  const url = `${baseUrl.replace(/\/+$/, "")}/openapi.yaml`;
  const response = await shell.fetch(url, { signal: shell.interrupted }).catch((error: unknown) => {
    throw new ConnectionError(`${url} cannot be reached`, { cause: error });
  });
  await response.body?.cancel();
  if (!response.ok) return [{ result: "warning", detail: `${url} answers ${response.status}` }];
  const skewInMs = Math.abs(Date.parse(response.headers.get("date") ?? "") - shell.clock.now());
  return skewInMs > largestSkewInMs
    ? [
        {
          result: "warning",
          detail: `its clock is ${Math.round(skewInMs / 1000)} s away from this machine's`,
        },
      ]
    : [{ result: "ok", detail: `${baseUrl} answers` }];
}

async function examineQueue(flags: DoctorFlags, file: ConfigFile, shell: Shell): ReturnType<Check> {
  const pages = makeClient(flags, file, shell).pendingScores({ limit: 1, signal: shell.interrupted }).pages();
  const page = await pages[Symbol.asyncIterator]().next();
  const accepted = { result: "ok", detail: "the key is accepted" } as const;
  const [oldest] = page.value?.scores ?? [];
  if (!oldest) return [accepted, { result: "ok", detail: "the queue is empty" }];
  const lagInMs = shell.clock.now() - Date.parse(oldest.at);
  const detail = `the oldest row has waited for ${Math.round(lagInMs / 1000)} s`;
  return [accepted, { result: lagInMs > worryingLagInMs ? "warning" : "ok", detail }];
}

async function examinePublishableKey(flags: DoctorFlags, file: ConfigFile, shell: Shell): ReturnType<Check> {
  const key = publishableKeyOf(file, shell);
  if (!key) return [{ result: "ok", detail: "not set; it is needed for ask and for the meaning of ratings" }];
  const types = Object.keys(await makeClient(flags, file, shell).surveyTypes(key));
  return [{ result: "ok", detail: `accepted; active surveys: ${types.length}` }];
}

async function examineSink(flags: DoctorFlags, file: ConfigFile, shell: Shell): ReturnType<Check> {
  const names = [flags.sink ?? file.sink ?? []].flat();
  if (names.length === 0) return [{ result: "ok", detail: "none named; name one with --sink" }];
  await makeSinks(names, { out: flags.out ?? file.out }, shell).close?.();
  return [{ result: "ok", detail: `${names.join(" and ")}: the settings are complete` }];
}
