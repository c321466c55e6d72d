import { type ClockReading } from "../domain/deletion-clock.ts";
import { type Service } from "../domain/service.ts";
import { isUsableKey } from "../domain/project-directory.ts";
import { isNodeSupported, oldestNode } from "./node-version.ts";
import { type StoreFinding } from "../store/store.ts";

/** The result of one check; `advice` says what to do if it is not good. */
export type Finding = StoreFinding;

/** Half of the leeway that tokens allow between clocks. */
const toleratedClockDifferenceInMs = 30_000;

const good = (name: string, found: string): Finding => ({ name, isGood: true, found });
const bad = (name: string, found: string, advice: string): Finding => ({
  name,
  isGood: false,
  found,
  advice,
});

export function examineRuntime(nodeVersion: string): Finding {
  if (isNodeSupported(nodeVersion)) return good("Node", nodeVersion);
  return bad("Node", nodeVersion, `Install Node ${oldestNode} or newer.`);
}

const hours = (milliseconds: number) => `${(milliseconds / 3_600_000).toFixed(1)} h`;

/** What to do about a clock that is not trusted; also logged. */
export const heldClockAdvice =
  "Nothing is deleted until the clock has been steady for 24 hours of uptime. If it is right, run: " +
  "afterword-server retention --accept-clock";

export const heldClock = ({ aheadInMs }: ClockReading) =>
  `${hours(aheadInMs)} ahead of the last clean-up and the time since`;

const seconds = (milliseconds: number) => `${Math.round(Math.abs(milliseconds) / 1000)} s`;
export const isSkewed = ({ skewInMs = 0 }: ClockReading) => Math.abs(skewInMs) > toleratedClockDifferenceInMs;
export const skewedClock = ({ skewInMs = 0 }: ClockReading) =>
  `${seconds(skewInMs)} ${skewInMs < 0 ? "behind" : "ahead of"} the database's`;

/** Checks whether the clock is trusted for deletions and agrees with the database's. */
export function examineClock(reading: ClockReading): Finding[] {
  const findings = [
    reading.isHeld
      ? bad("clock of clean-ups", heldClock(reading), heldClockAdvice)
      : good("clock of clean-ups", new Date(reading.now).toISOString()),
  ];
  if (isSkewed(reading)) findings.push(bad("clock", skewedClock(reading), "Synchronise the clocks (NTP)."));
  return findings;
}

function examineProject({ directory, clock }: Service, id: string): Finding[] {
  const project = directory.project(id)!;
  const now = clock.now();
  const isValid = (kind: string) => project.keys.some((key) => key.kind === kind && isUsableKey(key, now));
  const name = `project ${id}`;
  const findings: Finding[] = [];
  for (const kind of ["publishable", "secret"]) {
    if (isValid(kind)) continue;
    findings.push(bad(name, `no valid ${kind} key`, `Run: afterword-server key create ${id} ${kind}`));
  }
  if (project.allowedOrigins.length === 0) {
    findings.push(
      bad(name, "no page may ask", `Run: afterword-server project update ${id} --origin https://…`),
    );
  }
  if (project.activeSurveys.length === 0) {
    findings.push(bad(name, "no active survey", `Run: afterword-server survey activate ${id} SURVEY`));
  }
  return findings.length > 0 ? findings : [good(name, `active surveys: ${project.activeSurveys.length}`)];
}

/** Checks projects, keys and surveys. */
export function examineProjects(service: Service): Finding[] {
  const { projects } = service.directory;
  if (projects.length === 0) return [bad("projects", "none", "Run: afterword-server project create ID")];
  return projects.flatMap(({ id }) => examineProject(service, id));
}

const queueTooOldInMs = 24 * 60 * 60_000;

/** An old queue means that no forwarder runs. */
export async function examineQueues(service: Service): Promise<Finding[]> {
  const now = service.clock.now();
  const facts = await service.store.administration.queueFacts();
  return facts.map(({ projectId, pending, failed, oldestPendingAt }) => {
    const name = `queue of ${projectId}`;
    const age = oldestPendingAt === undefined ? 0 : now - oldestPendingAt;
    const found = `${pending} pending, ${failed} failed`;
    if (age <= queueTooOldInMs) return good(name, found);
    const advice = `The oldest has waited ${Math.round(age / 3_600_000)} h: is the forwarder running (npx afterword forward)?`;
    return bad(name, found, advice);
  });
}

async function reply(url: string, fetch: typeof globalThis.fetch) {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: "manual" });
  return { response, body: (await response.json().catch(() => ({}))) as { proxies?: string } };
}

/** fetch's own message is only "fetch failed". */
function reasonOf({ message, cause }: Error): string {
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? (inner || message);
}

/** Checks the running server from outside: readiness, clock and proxies. */
export async function examineAddress(
  baseUrl: string,
  now: () => number,
  fetch: typeof globalThis.fetch,
): Promise<Finding[]> {
  const name = `server ${baseUrl}`;
  try {
    const { response, body } = await reply(`${baseUrl.replace(/\/+$/, "")}/readyz`, fetch);
    if (!response.ok) return [bad(name, `HTTP ${response.status}`, "It is not ready: see its log.")];
    const difference = Math.abs(Date.parse(response.headers.get("date") ?? "") - now());
    const clock =
      difference > toleratedClockDifferenceInMs
        ? bad(
            "server clock",
            `${Math.round(difference / 1000)} s from this one`,
            "Synchronise the clocks (NTP).",
          )
        : good("server clock", "agrees with this one");
    const proxies =
      body.proxies === "untrusted"
        ? bad(
            "proxies",
            "X-Forwarded-For is ignored",
            "Set trustedProxies: until then all clients share one rate limit.",
          )
        : good("proxies", body.proxies ?? "none seen");
    return [good(name, "ready"), clock, proxies];
  } catch (error) {
    return [bad(name, reasonOf(error as Error), "Start it, or correct --url.")];
  }
}
