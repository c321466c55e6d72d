import { randomUUID } from "node:crypto";
import { AfterwordError, ConfigurationError, ConnectionError } from "../errors/afterword-error.ts";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import { exitCodeOf, exitCodes, type ExitCode } from "./exit-code.ts";
import { connectionOf, makeClient, publishableKeyOf, writeResult } from "./command-options.ts";
import type { Invocation } from "./command-options.ts";
import { causeOf } from "../errors/error-name.ts";
import { heldByOthers } from "./once-report.ts";
import type { Shell } from "./shell.ts";
import { makeSink } from "./sink-choice.ts";

interface Finding {
  result: "ok" | "warning" | "failed";
  detail: string;
  /** Of a failure. */
  exitCode?: ExitCode;
}

/** A larger clock skew makes tokens look expired or not yet valid. */
const largestSkewInMs = 60_000;

const ok = (detail: string): Finding => ({ result: "ok", detail });
const warning = (detail: string): Finding => ({ result: "warning", detail });

function failureOf(error: unknown): Finding {
  const detail = AfterwordError.isInstance(error) ? error.message : String(error);
  return { result: "failed", detail, exitCode: exitCodeOf(error) };
}

type Check = (call: Invocation) => Promise<Finding[]>;

const checks: Record<string, Check> = {
  "service": examineService,
  "secret key and queue": examineQueue,
  "publishable key": examinePublishableKey,
  "sink": examineSink,
};

/** `afterword doctor`: checks everything that delivery needs, and changes nothing. */
export async function doctor(call: Invocation): Promise<ExitCode | undefined> {
  const findings: Finding[] = [];
  for (const [check, examine] of Object.entries(checks)) {
    const found = await examine(call).catch((error: unknown) => [failureOf(error)]);
    for (const { result, detail } of found)
      await writeResult(call, { check, result, detail }, `${result.padEnd(8)} ${check}: ${detail}`);
    findings.push(...found);
  }
  const wrong = findings.filter(({ result }) => result !== "ok").length;
  const summary = wrong === 0 ? "All is well." : `${wrong} of ${findings.length} checks need attention.`;
  if (!call.flags.json) await call.shell.writeOut(`${summary}\n`);
  return findings.find(({ exitCode }) => exitCode)?.exitCode;
}

/** The status and the headers of a reply to a request that the client would not send. */
async function statusOf({ shell }: Invocation, url: string, init: RequestInit = {}): Promise<Response> {
  const response = await shell.fetch(url, { ...init, signal: shell.interrupted, redirect: "manual" });
  await response.body?.cancel();
  return response;
}

/** Calls a secret route without a key, which every conforming server refuses with 401. */
async function examineService(call: Invocation): ReturnType<Check> {
  const { baseUrl } = connectionOf(call);
  if (!baseUrl) throw new ConfigurationError("no base URL: pass --base-url or set AFTERWORD_BASE_URL");
  const url = `${baseUrl.replace(/\/+$/, "")}/v1/sdk/pending-scores`;
  const { status, headers } = await statusOf(call, url).catch((error: unknown) => {
    const reason = error instanceof Error ? causeOf(error) : undefined;
    throw new ConnectionError(`could not reach ${baseUrl}${reason ? `: ${reason}` : ""}`, { cause: error });
  });
  if (isRetryableStatus(status)) return [warning(`${baseUrl} answers ${status}`)];
  if (status !== 401) {
    const detail = `${url} answers ${status} where an Afterword service asks for a key; is the base URL right?`;
    return [{ result: "failed", detail, exitCode: exitCodes.refusedKey }];
  }
  const skewInMs = Math.abs(Date.parse(headers.get("date") ?? "") - call.shell.clock.now());
  if (Number.isNaN(skewInMs))
    return [
      ok(`${baseUrl} answers without a Date header, so its clock cannot be compared with this machine's`),
    ];
  return skewInMs > largestSkewInMs
    ? [warning(`its clock is ${Math.round(skewInMs / 1000)} s away from this machine's`)]
    : [ok(`${baseUrl} answers`)];
}

async function examineQueue(call: Invocation): ReturnType<Check> {
  const { shell } = call;
  // `leaseInSeconds: 0` leases nothing, and asks what others hold.
  const asked = { limit: 1, signal: shell.interrupted, leaseInSeconds: 0, consumer: randomUUID() };
  const pages = makeClient(call).pendingScores(asked).pages();
  const { scores = [], leased } = (await pages[Symbol.asyncIterator]().next()).value ?? {};
  const accepted = [ok("the key is accepted"), ...(await examineScope(call))];
  if (leased && leased.count > 0) {
    const detail = `${heldByOthers(leased)}: deliveries go on if that forwarder runs, or after this time if it has ended`;
    return [...accepted, warning(detail)];
  }
  const [oldest] = scores;
  if (!oldest) return [...accepted, ok("the queue is empty")];
  const lagInMs = shell.clock.now() - Date.parse(oldest.at);
  // Waiting is no fault: nothing may be running that delivers, or a run may not have arrived at the sink yet.
  const detail = `the oldest score has waited for ${Math.round(lagInMs / 1000)} s; "afterword forward" delivers it`;
  return [...accepted, ok(detail)];
}

/** Requests that are not valid: a key that allows them gets 400, and nothing is minted or read. */
const probes = {
  mint: ["/v1/sdk/tokens", { method: "POST", body: "{}" }],
  privacy: ["/v1/privacy/export?respondentId=nobody&check=scope", {}],
} as const;

/** Recommends a smaller key where this one allows more than a forwarder needs. */
async function examineScope(call: Invocation): Promise<Finding[]> {
  const baseUrl = connectionOf(call).baseUrl!.replace(/\/+$/, "");
  const authorization = `Bearer ${call.shell.environment["AFTERWORD_SECRET_KEY"]}`;
  const headers = { authorization, "content-type": "application/json" };
  const allowed: string[] = [];
  for (const [scope, [path, request]] of Object.entries(probes)) {
    const { status } = await statusOf(call, baseUrl + path, { ...request, headers });
    if (status === 400) allowed.push(scope);
  }
  if (allowed.length === 0) return [];
  const detail =
    `the key also allows ${allowed.join(" and ")}, and a forwarder needs the scope scores alone: ` +
    "on the server, create a secret key of your project with --scope scores (afterword-server key create --help)";
  return [ok(detail)];
}

async function examinePublishableKey(call: Invocation): ReturnType<Check> {
  const key = publishableKeyOf(call);
  if (!key) return [ok("not set; it is needed for ask and for the meaning of ratings")];
  const types = Object.keys(await makeClient(call).surveyTypes(key));
  return [ok(`accepted; active surveys: ${types.length}`)];
}

async function examineSink({ flags, file, shell }: Invocation): ReturnType<Check> {
  const names = [flags.sink ?? file.sink ?? []].flat();
  if (names.length === 0) return [ok("none named; name one with --sink")];
  const out = flags.out ?? file.out;
  return await Promise.all(names.map((name) => examineOne(name, out, shell).catch(failureOf)));
}

/** Checks the settings, then sends a request that changes nothing at the sink, if it has one. */
async function examineOne(name: string, out: string | undefined, shell: Shell): Promise<Finding> {
  const sink = makeSink(name, out, shell);
  const untried = "the settings are complete; they cannot be tested without delivering something";
  try {
    const found = (await sink.examine?.({ signal: shell.interrupted })) ?? { result: "ok", detail: untried };
    const detail = `${name}: ${found.detail.replace(`${name}: `, "")}`;
    if (found.result !== "failed") return { result: found.result, detail };
    const exitCode = found.retryable ? exitCodes.tryAgain : exitCodes.refusedKey;
    return { result: "failed", detail, exitCode };
  } finally {
    await sink.close?.();
  }
}
