import type { AdminAddress } from "@afterword/command-line/admin-listener";
import type { ForwarderOptions } from "../delivery/forwarder-options.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { checkedWholeNumber } from "../options/checked-option.ts";
import { type ConfigFile, durationInMs } from "./command-options.ts";
import type { Flags } from "./flags.ts";

/** The forwarder's options from flags and configuration file; flags override the file. */
export function forwardSettings(flags: Flags, file: ConfigFile): Omit<ForwarderOptions, "client" | "sink"> {
  const given = { ...file, ...flags };
  return {
    concurrency: given.concurrency === undefined ? undefined : Number(given.concurrency),
    pollIntervalInMs: durationInMs(given.pollInterval),
    ackIntervalInMs: durationInMs(given.ackInterval),
    sinkTimeoutInMs: durationInMs(given.sinkTimeout),
    stalledAfterInMs: durationInMs(given.stalledAfter),
    includeFailed: given.includeFailed,
    text: textPolicy(given.text),
    surveys: file.surveys,
    scoreName: given.scoreName,
  };
}

/** Where to serve health checks and metrics; `undefined` unless a port is given. */
export function adminAddressOf(flags: Flags, file: ConfigFile): AdminAddress | undefined {
  const isShort = flags.once || flags.dryRun;
  if (isShort && flags.adminPort === undefined) return undefined;
  if (isShort)
    throw new ConfigurationError("--admin-port is for a forwarder that keeps running: leave it out.");
  const port = flags.adminPort === undefined ? file.adminPort : Number(flags.adminPort || NaN);
  const host = flags.adminHost ?? file.adminHost;
  if (port === undefined && host !== undefined)
    throw new ConfigurationError("--admin-host needs --admin-port.");
  return port === undefined ? undefined : { host, port: checkedWholeNumber("--admin-port", port, 0, 65_535) };
}

function textPolicy(text: string | undefined): "include" | "omit" | undefined {
  if (text === undefined || text === "include" || text === "omit") return text;
  throw new ConfigurationError(`--text is "${text}"; it must be include or omit.`);
}
