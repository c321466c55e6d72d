import { type AdminAddress, startAdminListener } from "@afterword/command-line/admin-listener";
import type { CannotListen } from "@afterword/command-line/start-listening";
import { ConfigurationError } from "../errors/afterword-error.ts";
import type { ForwarderStatus } from "../delivery/forwarder-status.ts";
import type { ForwarderMetrics } from "./forwarder-metrics.ts";

/** 200 while the forwarder delivers or has nothing to deliver; 503 with the reason otherwise. */
function readiness({ state, stalled, lagInMs, leased }: ForwarderStatus): Response {
  const reason = state === "running" || state === "paused" ? stalled : state;
  if (reason !== null) return Response.json({ status: "unavailable", reason }, { status: 503 });
  return Response.json({ status: "ready", state, lagInMs, leased });
}

/** Listens for health checks and scrapes of a forwarder. Throws a `ConfigurationError` if it cannot. */
export function listenForOperators(
  address: AdminAddress,
  metrics: ForwarderMetrics,
  health: () => ForwarderStatus,
) {
  const registry = { contentType: metrics.contentType, metrics: () => metrics.text(health()) };
  return startAdminListener(address, registry, () => readiness(health())).catch((error: CannotListen) => {
    throw new ConfigurationError(whyNot(error, address), { cause: error.cause });
  });
}

function whyNot({ cause, message }: CannotListen, { host = "127.0.0.1", port }: AdminAddress): string {
  const absent = `This machine does not have the address ${host}; choose another with --admin-host.`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use; choose another with --admin-port.`,
    EACCES: `This account may not listen on port ${port}; choose one from 1024 with --admin-port.`,
    EADDRNOTAVAIL: absent,
    ENOTFOUND: absent,
  };
  return reasons[(cause as NodeJS.ErrnoException).code ?? ""] ?? message;
}
