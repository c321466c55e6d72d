import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBenchConfig } from "./bench-config.ts";
import { startBuiltServer, startCommitPerRequest } from "./child-server.ts";
import { benchBootstrap, benchMint, benchSubmit } from "./http-scenarios.ts";
import { type Comparison } from "./measure.ts";

const requests = Number(process.env["BENCH_REQUESTS"] ?? 20_000);
const folder = mkdtempSync(join(tmpdir(), "afterword-bench-"));
const config = join(folder, "config.json");
writeBenchConfig(config);

const print = (line: string) => void process.stdout.write(`${line}\n`);
const ratio = (one: number, other: number) => (one / other).toFixed(2);

function report({ name, measured, echo }: Comparison): void {
  const rates = `${measured.requestsPerSecond.toFixed(0)}/s against ${echo.requestsPerSecond.toFixed(0)}/s`;
  const p99s = `p99 ${measured.p99.toFixed(1)} ms against ${echo.p99.toFixed(1)} ms`;
  const cpu = `cpu ${measured.cpuMicroseconds.toFixed(0)} us against ${echo.cpuMicroseconds.toFixed(0)} us (${ratio(echo.cpuMicroseconds, measured.cpuMicroseconds)})`;
  print(
    `${name}: ${ratio(measured.requestsPerSecond, echo.requestsPerSecond)} of the echo (${rates}), ${p99s} (${ratio(measured.p99, echo.p99)}x), ${cpu}`,
  );
}

const server = await startBuiltServer(config, join(folder, "bench.db"));
const plain = await startCommitPerRequest(join(folder, "plain.db"));
try {
  report(await benchBootstrap(server, requests));
  report(await benchMint(server, requests));
  const submit = await benchSubmit(server, plain, Math.min(requests, 10_000));
  report(submit);
  const { measured, commitPerRequest } = submit;
  const rate = ratio(measured.requestsPerSecond, commitPerRequest.requestsPerSecond);
  print(
    `submit, durable: ${rate} of one commit per request (${commitPerRequest.requestsPerSecond.toFixed(0)}/s)`,
  );
} finally {
  await server.stop();
  await plain.stop();
  rmSync(folder, { recursive: true, force: true });
}
