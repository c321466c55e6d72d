import { pino, type Level } from "pino";
import {
  type Clock,
  type Policy,
  RateLimiter,
  type RequestEvent,
  timestamp,
} from "@afterword/reference-server/internal";
import { type ServerEvent, type ServerEvents } from "../audit/audit-trail.ts";
import { type LogDestination } from "./log-writer.ts";
import { describeError, scrub } from "./scrub.ts";

export const logLevels = ["info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** `refused` logs requests that were answered with 400 or more, up to a rate limit. */
export const requestLogging = ["all", "refused", "none"] as const;
export type RequestLogging = (typeof requestLogging)[number];

/** A flood of refusals must not fill the log's disk. */
const mostLines: Policy = { name: "lines", perMinute: 600, burst: 100 };

/** Levels of events other than requests. Default: info. */
const levels: Partial<Record<ServerEvent["kind"], Level>> = {
  "failure": "error",
  "background-failure": "error",
  "warning": "warn",
  "secret-key-exposed": "warn",
};

/** The logged fields of an event. Only errors and messages can contain text to scrub. */
function fieldsOf(event: ServerEvent): Record<string, unknown> {
  const { kind, ...all } = event;
  // The log has uses of keys once a minute.
  const { use: _, ...fields } = all as typeof all & { use?: unknown };
  if ("error" in fields) return { event: kind, ...fields, error: describeError(fields.error) };
  if ("message" in fields) return { event: kind, ...fields, message: scrub(fields.message) };
  if ("durationInMs" in fields) {
    // Clients can invent methods on unknown paths.
    const method = fields.method.replaceAll(/[^A-Za-z]/g, "?").slice(0, 16);
    return { event: kind, ...fields, method, durationInMs: Math.round(fields.durationInMs * 100) / 100 };
  }
  return { event: kind, ...fields };
}

const notRead = "The log's reader or disk was too slow.";

/**
 * Events that clients can cause in any number. All others are rare or needed as records, and are always written.
 */
const sparable: ReadonlySet<ServerEvent["kind"]> = new Set(["request", "failure", "background-failure"]);

const people = ["text", "email", "userId", "respondentId"];
const neverLogged = ["key", "showToken", "authorization", "query", "body", ...people];

/** Logs one JSON line per event; `requests` selects which. Leaves out dispensable lines while the destination is behind. */
export function createEventLog(
  destination: Pick<LogDestination, "write" | "isBehind">,
  level: LogLevel,
  clock: Clock,
  requests: RequestLogging = "refused",
): ServerEvents {
  const limiter = new RateLimiter();
  let leftOut = 0;
  const isWanted = ({ status }: RequestEvent) => {
    if (requests === "all") return true;
    // First, because it decides for nearly all requests.
    if (status < 400 || (requests === "none" && status < 500)) return false;
    // Server errors have their own limit, which refusals cannot use up.
    const { isAllowed } = limiter.take(mostLines, status < 500 ? "refused" : "faults", clock.now());
    if (!isAllowed) leftOut++;
    return isAllowed;
  };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timestamp(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      // A second line of defence: fields with these names are never logged.
      redact: { paths: neverLogged, censor: "[redacted]" },
    },
    destination,
  );
  let spared = 0;
  return {
    emit(event) {
      // Their trail writes them, at every level.
      if (event.kind === "audit") return;
      const isRequest = event.kind === "request";
      if (isRequest && !isWanted(event)) return;
      const level = isRequest && event.status >= 500 ? "error" : (levels[event.kind] ?? "info");
      if (!logger.isLevelEnabled(level)) return;
      if (destination.isBehind) {
        if (sparable.has(event.kind)) return void spared++;
      } else if (spared > 0) {
        logger.error({ event: "lines-left-out", count: spared, message: notRead });
        spared = 0;
      }
      if (isRequest && leftOut > 0) {
        logger.info({ event: "requests-left-out", count: leftOut });
        leftOut = 0;
      }
      logger[level](fieldsOf(event));
    },
  };
}
