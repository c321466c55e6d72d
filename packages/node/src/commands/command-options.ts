import * as z from "zod";
import { durationInMs as longDurationInMs } from "@afterword/protocol/duration";
import { Client } from "../client/client.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { parseJson } from "../options/json.ts";
import { silentLogger } from "../options/logger.ts";
import type { Flags } from "./flags.ts";
import type { Shell } from "./shell.ts";

const surveyType = z.enum(["nps", "csat", "ces", "pmf"]);

/** The configuration file. Flags and variables override it; secrets belong in variables. */
const configFile = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  publishableKey: z.string().min(1).optional(),
  timeout: z.string().optional(),
  sink: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  out: z.string().optional(),
  concurrency: z.int().min(1).optional(),
  pollInterval: z.string().optional(),
  ackInterval: z.string().optional(),
  sinkTimeout: z.string().optional(),
  stalledAfter: z.string().optional(),
  adminHost: z.string().min(1).optional(),
  adminPort: z.int().min(0).max(65_535).optional(),
  includeFailed: z.boolean().optional(),
  text: z.enum(["include", "omit"]).optional(),
  scoreName: z.string().optional(),
  surveys: z
    .record(
      z.string(),
      z.union([surveyType, z.strictObject({ type: surveyType.optional(), name: z.string().optional() })], {
        error: "must be nps, csat, ces or pmf, or an object of which the keys are type and name",
      }),
    )
    .optional(),
});

export type ConfigFile = z.output<typeof configFile>;

/** Reads the configuration file. Throws one `ConfigurationError` with all its mistakes. */
export async function readConfigFile(path: string | undefined, shell: Shell): Promise<ConfigFile> {
  if (path === undefined) return {};
  const text = await shell.readFile(path).catch((cause: unknown) => {
    throw new ConfigurationError(`Could not read ${path}.`, { cause });
  });
  const value = parseJson(text);
  if (value === undefined) throw new ConfigurationError(`${path} is not JSON.`);
  const result = configFile.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0
      ? `  unknown: ${issue.keys.join(", ")}; the file may have ${Object.keys(configFile.shape).join(", ")}`
      : `  ${issue.path.join(".") || "the file"}: ${issue.message}`,
  );
  throw new ConfigurationError(`${path} is not a valid configuration:\n${faults.join("\n")}`);
}

/** One call of the program. */
export interface Invocation {
  flags: Flags;
  /** The configuration file that the flags name; empty without one. */
  file: ConfigFile;
  shell: Shell;
  /** Arguments that are no flags. */
  given: string[];
}

/** Writes one result on standard output: as JSON with `--json`, and else as a line for people. */
export const writeResult = ({ flags, shell }: Invocation, value: unknown, line: string) =>
  shell.writeOut(`${flags.json ? JSON.stringify(value) : line}\n`);

/** Where the service is and how long to wait for it: from flags, environment and file, in this order. */
export function connectionOf({ flags, file, shell }: Invocation) {
  return {
    baseUrl: flags.baseUrl ?? (shell.environment["AFTERWORD_BASE_URL"] || file.baseUrl),
    timeoutInMs: durationInMs(flags.timeout ?? file.timeout),
    fetch: shell.fetch,
  };
}

/** The publishable key, which is no secret and may stand in the file. */
export const publishableKeyOf = ({ file, shell }: Invocation) =>
  shell.environment["AFTERWORD_PUBLISHABLE_KEY"] || file.publishableKey;

/** The client of these settings; the secret key comes from the environment alone. */
export function makeClient(call: Invocation): Client {
  const { shell } = call;
  const connection = connectionOf(call);
  const secretKey = shell.environment["AFTERWORD_SECRET_KEY"];
  const missing = [
    ...(secretKey ? [] : ["No secret key: set AFTERWORD_SECRET_KEY."]),
    ...(connection.baseUrl ? [] : ["No base URL: pass --base-url or set AFTERWORD_BASE_URL."]),
  ];
  if (missing.length > 0) throw new ConfigurationError(missing.join("\n"));
  // The commands report what the client would warn of.
  return new Client({ ...connection, secretKey, logger: silentLogger }, shell.clock);
}

/** Calls each of these, or throws one `ConfigurationError` with the messages of all that failed. */
export function createdTogether<Made extends readonly unknown[]>(makers: {
  [Place in keyof Made]: () => Made[Place];
}): Made {
  const faults: string[] = [];
  const made = makers.map((make) => {
    try {
      return make();
    } catch (error) {
      if (!ConfigurationError.isInstance(error)) throw error;
      return void faults.push(error.message);
    }
  });
  if (faults.length > 0) throw new ConfigurationError(faults.join("\n"));
  return made as unknown as Made;
}

/** The value of a required flag. */
export function required(value: string | undefined, flag: string): string {
  if (value) return value;
  throw new ConfigurationError(`${flag} is required.`);
}

/** Milliseconds of a duration such as `500ms`, `2s`, `5m` or `1h`. Throws a `ConfigurationError` for anything else. */
export function durationInMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  // The service's durations are long, and none of them is nothing.
  const parsed = /^(\d{1,9}ms|0s)$/.test(text) ? Number.parseInt(text, 10) : longDurationInMs(text);
  if (parsed !== undefined) return parsed;
  throw new ConfigurationError(
    `"${text}" is not a duration; write a whole number and ms, s, m, h or d, such as 2s.`,
  );
}
