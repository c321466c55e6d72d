import { startAdminListener } from "@afterword/command-line/admin-listener";
import { type OpenPort } from "@afterword/command-line/start-listening";
import { type ServerEvents } from "../audit/audit-trail.ts";
import { readinessOf } from "../health/readiness.ts";
import { type Metrics } from "../metrics/metrics.ts";
import { addServiceGauges, type Measured } from "../metrics/service-gauges.ts";
import { type AdminAddress } from "./start-options.ts";

const isLoopback = (host: string) => host === "localhost" || host === "::1" || host.startsWith("127.");

/** A separate listener for operators; metrics are never on the public port. */
export function listenForOperators(
  address: AdminAddress,
  metrics: Metrics,
  measured: Measured,
  events: ServerEvents,
): Promise<OpenPort> {
  const { host } = address;
  if (host !== undefined && !isLoopback(host)) {
    const message = `Anyone who reaches ${host} can read the metrics: keep that network private.`;
    events.emit({ kind: "warning", message });
  }
  addServiceGauges(metrics, measured);
  const readiness = readinessOf(measured.load, measured.auditTrail);
  const { contentType } = metrics.registry;
  const registry = { contentType, metrics: () => metrics.text() };
  return startAdminListener(address, registry, () => readiness(measured.service, null, 0));
}
