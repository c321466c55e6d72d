import { existsSync, statSync } from "node:fs";
import { scopes } from "@afterword/protocol";
import { dayInMs, hourInMs } from "@afterword/protocol/duration";
import {
  databasePlace,
  isUsableKey,
  type KeyRecord,
  type MasterKeyRecord,
  nodeVersionProblem,
  type Project,
  type Service,
  type SurveyRecord,
  timestamp,
} from "@afterword/reference-server/internal";
import { type OperatedService } from "../administration/operated-service.ts";
import {
  type ClockReading,
  heldClock,
  heldClockAdvice,
  isSkewed,
  skewedClock,
  toleratedClockDifferenceInMs,
} from "../administration/deletion-clock.ts";
import { finding, type Finding } from "../store/administration.ts";
import { networkDisk, type TypeOfDisk } from "./network-disk.ts";

export function examineRuntime(nodeVersion = process.version): Finding {
  const problem = nodeVersionProblem(nodeVersion);
  return finding("Node", problem === undefined, nodeVersion, problem);
}

const synchronise = "Synchronise the clocks (NTP).";

/** Checks whether the clock is trusted for deletions and agrees with the database's. */
export function examineClock(reading: ClockReading): Finding[] {
  const found = reading.isHeld ? heldClock(reading) : timestamp(reading.now);
  return [
    finding("clock of clean-ups", !reading.isHeld, found, heldClockAdvice),
    ...(isSkewed(reading) ? [finding("clock", false, skewedClock(reading), synchronise)] : []),
  ];
}

function examineProject(project: Project, now: number): Finding[] {
  const { id, keys, allowedOrigins, activeSurveys } = project;
  const lacks = (kind: string) => !keys.some((key) => key.kind === kind && isUsableKey(key, now));
  const wrong = [
    [lacks("publishable"), "no valid publishable key", `key create ${id} publishable`],
    [lacks("secret"), "no valid secret key", `key create ${id} secret`],
    [allowedOrigins.length === 0, "no page may ask", "apply FILE, which lists its allowedOrigins"],
    [activeSurveys.length === 0, "no active survey", "apply FILE, with a survey whose status is active"],
  ] as const;
  const findings = wrong
    .filter(([isWrong]) => isWrong)
    .map(([, found, command]) => finding(`project ${id}`, false, found, `Run: afterword-server ${command}`));
  const active = `active surveys: ${activeSurveys.length}`;
  return findings.length > 0 ? findings : [finding(`project ${id}`, true, active)];
}

export function examineProjects({ directory, clock }: OperatedService): Finding[] {
  if (directory.projects.length === 0)
    return [finding("projects", false, "none", "Run: afterword-server project create ID")];
  return directory.projects.flatMap((project) => examineProject(project, clock.now()));
}

/** So that what a server does only now and then has happened. */
const daysBeforeAdvice = 7;

function examineScopes(key: KeyRecord, now: number): Finding[] {
  const { id, projectId, scopes: allowed = scopes, uses = {}, createdAt } = key;
  const used = allowed.filter((scope) => uses[scope] !== undefined);
  const days = Math.floor((now - createdAt) / dayInMs);
  if (used.length === 0 || used.length === allowed.length || days < daysBeforeAdvice) return [];
  const found =
    `allows ${allowed.join(", ")}; used for ${used.join(", ")} alone in ${days} days. ` +
    `For a key that allows no more: afterword-server key create ${projectId} secret --scope ${used.join(",")}`;
  return [finding(`key ${id}`, true, found)];
}

/** Recommends the smallest scopes for secret keys that have been used for less than they allow. */
export const examineKeys = ({ directory, clock }: Service): Finding[] =>
  directory.projects
    .flatMap(({ keys }) => keys)
    .filter((key) => key.kind === "secret" && isUsableKey(key, clock.now()))
    .flatMap((key) => examineScopes(key, clock.now()));

/** Mentions suggested reasons of a survey without any follow-up question: only thumbs have a field for them. */
export function examineSuggestions({ projectId, slug, definition }: SurveyRecord): Finding[] {
  const { translations = {}, ...own } = definition;
  const words = [own, ...Object.values(translations)];
  const hasQuestion = words.some((one) => one.followUpQuestion ?? one.followUpQuestions);
  if (hasQuestion || !words.some((one) => one.suggestions)) return [];
  const found = "has no followUpQuestion, so that only thumbs show its reasons: the survey has no text field";
  return [finding(`suggestions of ${projectId}/${slug}`, true, found)];
}

/** An old queue means that no forwarder runs. */
export async function examineQueues(service: OperatedService): Promise<Finding[]> {
  const now = service.clock.now();
  const facts = await service.store.administration.queueFacts();
  return facts.map(({ projectId, pending, failed, oldestPendingAt }) => {
    const age = now - (oldestPendingAt ?? now);
    const advice = `The oldest has waited ${Math.round(age / hourInMs)} h: is the forwarder running (afterword forward)?`;
    return finding(`queue of ${projectId}`, age <= dayInMs, `${pending} pending, ${failed} failed`, advice);
  });
}

/** fetch's own message is only "fetch failed". */
function reasonOf({ message, cause }: Error): string {
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? (inner || message);
}

/** @param at the server's time, or the reply's `Date`, which is that of a proxy or missing behind some */
function examineServerClock(at: string, now: number): Finding {
  const difference = Math.abs(Date.parse(at) - now);
  const name = "server clock";
  const askItself = "Ask the server itself, not through a proxy.";
  if (Number.isNaN(difference)) return finding(name, false, "unknown: the reply has no time", askItself);
  const isFar = difference > toleratedClockDifferenceInMs;
  const found = isFar ? `${Math.round(difference / 1000)} s from this one` : "agrees with this one";
  return finding(name, !isFar, found, synchronise);
}

/** Checks the running server from outside: readiness, clock, proxies and audit. */
export async function examineAddress(
  baseUrl: string,
  now: () => number,
  fetch = globalThis.fetch,
): Promise<Finding[]> {
  const name = `server ${baseUrl}`;
  try {
    const signal = AbortSignal.timeout(5000);
    const reply = await fetch(`${baseUrl.replace(/\/+$/, "")}/readyz`, { signal, redirect: "manual" });
    type Readiness = Partial<Record<"at" | "proxies" | "audit", string>>;
    const readiness = (await reply.json().catch(() => ({}))) as Readiness;
    const { at = reply.headers.get("date") ?? "", proxies = "none seen", audit } = readiness;
    if (!reply.ok) return [finding(name, false, `HTTP ${reply.status}`, "It is not ready: see its log.")];
    const isTrusted = proxies !== "untrusted";
    const trust = "Set trustedProxies: until then all clients share one rate limit.";
    return [
      finding(name, true, "ready"),
      examineServerClock(at, now()),
      finding("proxies", isTrusted, isTrusted ? proxies : "X-Forwarded-For is ignored", trust),
      ...(audit === undefined ? [] : [finding("audit of the server", false, audit, "Its log says why.")]),
    ];
  } catch (error) {
    return [finding(name, false, reasonOf(error as Error), "Start it, or correct --url.")];
  }
}

/** Advice for a replaced key that still has valid show-tokens. */
export const missingKey = ({ id, validUntil }: MasterKeyRecord) =>
  `The previous master key ${id} is missing: show-tokens that it has sealed are refused, and would be valid until ` +
  `${timestamp(validUntil!)}. Give it beside the new one.`;

function masterKeyAdvice(
  { masterKeys }: OperatedService,
  previous: MasterKeyRecord | undefined,
): string | undefined {
  if (previous) return masterKeys.isHeld(previous.id) ? undefined : missingKey(previous);
  const last = masterKeys.records[1];
  if (last && masterKeys.isHeld(last.id))
    return (
      "The previous key is still there and of no use. Run: afterword-server key rotate-master --end-overlap, and " +
      "take it out of the key file or AFTERWORD_MASTER_KEY."
    );
  if (masterKeys.unused.length === 0) return undefined;
  return "A new key is there and not in use. Run: afterword-server key rotate-master";
}

export function examineMasterKey(service: OperatedService): Finding {
  const now = service.clock.now();
  const current = service.masterKeys.records[0]!;
  const age = `, ${Math.floor(Math.max(0, now - current.since) / dayInMs)} days old`;
  const previous = service.masterKeys.previous(now);
  const overlap = previous ? `; ${previous.id} stays valid until ${timestamp(previous.validUntil!)}` : "";
  const advice = masterKeyAdvice(service, previous);
  return finding("master key", advice === undefined, `${current.id}${age}${overlap}`, advice);
}

const readableByOthers = 0o004;

/** Checks that files with people's answers, or the key to them, are not readable by every account. */
export function examineFiles(database: string, keyFile?: string): Finding[] {
  const place = databasePlace(database);
  const own = place.kind === "file" ? [database, place.keyFile] : [];
  return [...own, ...(keyFile === undefined ? [] : [keyFile])].filter(existsSync).map((path) => {
    const mode = statSync(path).mode & 0o777;
    const advice = `Every account of this machine can read ${path}; run: chmod 600 ${path}`;
    return finding(`permissions of ${path}`, (mode & readableByOthers) === 0, `0${mode.toString(8)}`, advice);
  });
}

/** Says where a SQLite file is on a network disk, or may be. */
export function examineDisk(database: string, typeOf?: TypeOfDisk): Finding[] {
  const disk = networkDisk(database, typeOf);
  return disk ? [finding("disk of the database", false, disk.name, disk.advice)] : [];
}
