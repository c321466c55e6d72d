import { withSecretKeys } from "./bench-config.ts";
import { startBuiltServer } from "./child-server.ts";
import { submitRun } from "./http-scenarios.ts";
import { inTurns } from "./measure.ts";

export interface TelemetryCost {
  name: string;
  /** Processor time of the server per submit, the mean of all rounds, in microseconds. */
  cpuMicroseconds: number;
  /** Rate by that of the same round without telemetry, the median of all rounds. */
  rateByRounds: number;
}

const sdk = (sampledShare: number) => [
  "--import",
  new URL(`telemetry-sdk.ts?sampled=${sampledShare}`, import.meta.url).href,
];
const admin = ["--admin-port", "0"];

/** Each adds to the one before it. */
const variants: [name: string, flags: string[], settings: string[]][] = [
  ["no metrics", [], []],
  ["Prometheus metrics", [], admin],
  ["and OpenTelemetry, no span sampled", sdk(0), admin],
  ["and OpenTelemetry, 10 % of spans sampled", sdk(0.1), admin],
  ["and OpenTelemetry, all spans sampled", sdk(1), admin],
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
    variants.map(async ([, flags, settings], index) =>
      withSecretKeys(await startBuiltServer(config, databaseOf(`telemetry-${index}.db`), flags, settings)),
    ),
  );
  try {
    const runs = await inTurns(...servers.map((server) => () => submitRun(server, requests)));
    return runs.map((list, index) => ({
      name: variants[index]![0],
      cpuMicroseconds: mean(list.map((run) => run.cpuMicroseconds)),
      rateByRounds: median(
        list.map((run, round) => run.requestsPerSecond / runs[0]![round]!.requestsPerSecond),
      ),
    }));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
