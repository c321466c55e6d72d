import { withSecretKeys } from "./bench-config.ts";
import { startBuiltServer } from "./child-server.ts";
import { submitRun } from "./http-scenarios.ts";
import { inTurns } from "./measure.ts";

export interface TelemetryCost {
  name: string;
  /** Processor time of the server per submit, the mean of all rounds, in microseconds. */
  cpuMicroseconds: number;
  /** What of that the server adds itself, in microseconds; absent where it adds nothing. */
  ownMicroseconds?: number;
  /** Rate by that of the same round without telemetry, the median of all rounds. */
  rateByRounds: number;
}

interface Variant {
  name: string;
  /** For Node. */
  flags?: string[];
  /** For the server. */
  settings?: string[];
  /** The place of the variant that lacks only what the server adds. */
  without?: number;
}

const settings = ["--admin-port", "0"];
const sampledShares: [share: number, name: string][] = [
  [0, "no span sampled"],
  [0.1, "10 % of spans sampled"],
  [1, "all spans sampled"],
];
const sdk = (share: number, calls: "by-server" | "bare") => [
  "--import",
  new URL(`telemetry-sdk.ts?sampled=${share}&calls=${calls}`, import.meta.url).href,
];

const variants: Variant[] = [
  { name: "no metrics" },
  { name: "Prometheus metrics", settings, without: 0 },
  ...sampledShares.flatMap(([share, name], index): Variant[] => [
    { name: `and the SDK's calls alone, ${name}`, flags: sdk(share, "bare"), settings },
    { name: `and OpenTelemetry, ${name}`, flags: sdk(share, "by-server"), settings, without: 2 + 2 * index },
  ]),
];

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

/** What spans and metrics add to a submit, each variant a server of its own that takes turns with the others. */
export async function benchTelemetry(
  config: string,
  databaseOf: (name: string) => string,
  requests: number,
): Promise<TelemetryCost[]> {
  const servers = await Promise.all(
    variants.map(async ({ flags, settings: own }, index) =>
      withSecretKeys(await startBuiltServer(config, databaseOf(`telemetry-${index}.db`), flags, own)),
    ),
  );
  try {
    const runs = await inTurns(...servers.map((server) => () => submitRun(server, requests)));
    const times = runs.map((list) => mean(list.map((run) => run.cpuMicroseconds)));
    return variants.map(({ name, without }, index) => ({
      name,
      cpuMicroseconds: times[index]!,
      ownMicroseconds: without === undefined ? undefined : times[index]! - times[without]!,
      rateByRounds: median(
        runs[index]!.map((run, round) => run.requestsPerSecond / runs[0]![round]!.requestsPerSecond),
      ),
    }));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
