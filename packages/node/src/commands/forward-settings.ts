import type { ForwarderOptions } from "../delivery/create-delivery-loop.ts";
import type { Partition } from "../delivery/partition.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { durationInMs } from "./duration.ts";
import type { ConfigFile, ConnectionFlags } from "./settings.ts";

/** The flags of `afterword forward`, unparsed. */
export interface ForwardFlags extends ConnectionFlags {
  sink?: string[];
  out?: string;
  once?: boolean;
  dryRun?: boolean;
  concurrency?: string;
  pollInterval?: string;
  ackInterval?: string;
  sinkTimeout?: string;
  partition?: string;
  includeFailed?: boolean;
  text?: string;
  scoreName?: string;
}

/** The forwarder's options from flags and configuration file; flags override the file. */
export function forwardSettings(
  flags: ForwardFlags,
  file: ConfigFile,
): Omit<ForwarderOptions, "client" | "sink"> {
  const duration = (text: string | undefined) => (text === undefined ? undefined : durationInMs(text));
  const partition = flags.partition ?? file.partition;
  return {
    concurrency: flags.concurrency === undefined ? file.concurrency : Number(flags.concurrency),
    pollInterval: duration(flags.pollInterval ?? file.pollInterval),
    ackInterval: duration(flags.ackInterval ?? file.ackInterval),
    sinkTimeout: duration(flags.sinkTimeout ?? file.sinkTimeout),
    partition: partition === undefined ? undefined : parsedPartition(partition),
    includeFailed: flags.includeFailed ?? file.includeFailed,
    text: textPolicy(flags.text ?? file.text),
    surveys: file.surveys,
    scoreName: flags.scoreName ?? file.scoreName,
  };
}

/** `1/3` on the command line counts from 1, as people do. */
function parsedPartition(text: string): Partition {
  const [, share, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  if (share === undefined || Number(share) < 1 || Number(share) > Number(of)) {
    throw new ConfigurationError(
      `"${text}" is not a share of the queue; write 1/3, 2/3 or 3/3 for a third each.`,
    );
  }
  return { index: Number(share) - 1, of: Number(of) };
}

function textPolicy(text: string | undefined): "include" | "omit" | undefined {
  if (text === undefined || text === "include" || text === "omit") return text;
  throw new ConfigurationError(`--text is "${text}"; it must be include or omit.`);
}
