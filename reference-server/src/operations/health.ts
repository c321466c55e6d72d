import { type Service } from "../domain/service.ts";
import { timestamp } from "../domain/clock.ts";

const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;
const patienceInMs = 2000;

/** The process runs. */
export function healthReply(): Response {
  return Response.json({ status: "ok" }, { headers });
}

/** What stands between the server and its clients, as one request shows it (decision D43). */
function proxiesOf(forwardedFor: string | null, trustedProxies: number): string {
  if (forwardedFor === null) return "none seen";
  return trustedProxies > 0 ? "trusted" : "untrusted";
}

/** The server can store what it is sent; anything but 200 takes it out of a load balancer. */
export async function readinessReply(
  service: Service,
  forwardedFor: string | null,
  trustedProxies: number,
): Promise<Response> {
  const tooLate = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("too slow")), patienceInMs).unref();
  });
  const proxies = proxiesOf(forwardedFor, trustedProxies);
  try {
    await Promise.race([service.store.ping(), tooLate]);
    return Response.json({ status: "ready", at: timestamp(service.clock.now()), proxies }, { headers });
  } catch {
    const waiting = { ...headers, "Retry-After": "2" };
    return Response.json(
      { status: "unavailable", database: "does not answer" },
      { status: 503, headers: waiting },
    );
  }
}
