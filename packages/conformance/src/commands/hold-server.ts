import { extensions, type Extension } from "../clauses/clause.ts";
import { serverClauses } from "../clauses/server-clauses.ts";
import { runClauses } from "../run-clauses.ts";
import { type ApiClient } from "../service/api-client.ts";
import { CannotRun } from "../service/cannot-run.ts";
import { examine, respondentPrefix } from "../service/examine.ts";
import { Service } from "../service/service.ts";
import { setup } from "../service/setup.ts";
import { clausePrinter, report, type ReportFlags } from "./reports.ts";
import { exitCodes, type ExitCode, type Shell } from "./shell.ts";

export interface ServerFlags extends ReportFlags {
  baseUrl?: string;
  publishableKey?: string;
  secretKey?: string;
  secondPublishableKey?: string;
  secondSecretKey?: string;
  mintKey?: string;
  expiredToken?: string;
  allowedOrigin?: string;
  disposableProject?: true;
  without?: string;
  section?: string;
  printSetup?: true;
  yes?: true;
}

function urlOf(text: string, flag: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw new CannotRun(`${flag} must be an http or https URL`);
}

function keysOf(publishableKey: string | undefined, secretKey: string | undefined, prefix: string) {
  if (publishableKey && secretKey) return { publishableKey, secretKey };
  throw new CannotRun(`pass --${prefix}publishable-key and --${prefix}secret-key`);
}

/** The extensions that a server declares not to offer. */
function declared(without = ""): Extension[] {
  const names = without.split(",").filter(Boolean);
  const unknown = names.find((name) => !(extensions as readonly string[]).includes(name));
  if (unknown === undefined) return names as Extension[];
  throw new CannotRun(`--without knows no "${unknown}"; it takes ${extensions.join(", ")}`);
}

function chosenClauses(section: string | undefined) {
  if (section === undefined) return serverClauses;
  const chosen = serverClauses.filter((clause) => section.split(",").includes(clause.section));
  if (chosen.length > 0) return chosen;
  throw new CannotRun(`--section ${section} has no clauses`);
}

function serviceOf(flags: ServerFlags, shell: Shell): Service {
  const { baseUrl, mintKey, expiredToken, allowedOrigin, disposableProject: isDisposable } = flags;
  if (!baseUrl) throw new CannotRun("pass --base-url, the address of the server");
  urlOf(baseUrl, "--base-url");
  if (allowedOrigin && urlOf(allowedOrigin, "--allowed-origin").origin !== allowedOrigin)
    throw new CannotRun("--allowed-origin must be an origin, such as https://app.example");
  const hasSecond = flags.secondPublishableKey !== undefined || flags.secondSecretKey !== undefined;
  if (isDisposable && !hasSecond)
    throw new CannotRun("--disposable-project is about the second project; pass its keys");
  return new Service({
    baseUrl,
    keys: keysOf(flags.publishableKey, flags.secretKey, ""),
    ...(hasSecond && { secondKeys: keysOf(flags.secondPublishableKey, flags.secondSecretKey, "second-") }),
    mintKey,
    expiredToken,
    allowedOrigin,
    isDisposable,
    wait: shell.wait,
    runId: `${respondentPrefix}${shell.randomId()}`,
    signal: shell.signal,
  });
}

async function leave(service: Service): Promise<void> {
  try {
    await service.leaveAsFound();
  } catch (error) {
    throw new CannotRun(`could not erase what the kit has stored: ${(error as Error).message}`);
  }
}

/** Holds a server to the contract. */
export async function holdServer(flags: ServerFlags, shell: Shell): Promise<ExitCode> {
  if (flags.printSetup) {
    shell.writeOut(`${JSON.stringify(setup, null, 2)}\n`);
    return exitCodes.passed;
  }
  const service = serviceOf(flags, shell);
  const [without, clauses] = [declared(flags.without), chosenClauses(flags.section)];
  const clients: ApiClient[] = [service.first, ...(flags.secondSecretKey ? [service.second] : [])];
  await examine(clients, flags.yes === true);
  const secrets = clients.flatMap(({ keys }) => [keys.publishableKey, keys.secretKey]);
  secrets.push(...[flags.mintKey, flags.expiredToken].filter((one) => one !== undefined));
  const onResult = clausePrinter(flags, shell);
  const { signal } = shell;
  const results = await runClauses({ clauses, subject: service, without, secrets, onResult, signal });
  await leave(service);
  if (signal.aborted) throw new CannotRun("interrupted; what the kit has stored is erased");
  return report(results, flags.baseUrl!, flags, shell);
}
