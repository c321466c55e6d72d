import { describe, expect, it } from "vitest";
import { createApp } from "../app.ts";
import { type ServerEvent } from "../events.ts";

async function warningsAfter(trustedProxies: number, forwardedFor: string | undefined) {
  const warnings: ServerEvent[] = [];
  const emit = (event: ServerEvent) => void (event.kind === "warning" && warnings.push(event));
  await using application = await createApp({ config: { projects: [], trustedProxies }, events: { emit } });
  const headers: Record<string, string> = forwardedFor ? { "x-forwarded-for": forwardedFor } : {};
  for (let time = 0; time < 3; time++)
    await application.app.request("/v1/definitions?key=aw_pk_x", { headers });
  return warnings;
}

describe("an untrusted proxy", () => {
  it("causes one warning, without its clients' addresses", async () => {
    const warnings = await warningsAfter(0, "203.0.113.9");
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).toContain("Set trustedProxies");
    expect(JSON.stringify(warnings)).not.toContain("203.0.113.9");
  });

  it("causes no warning when it is trusted or absent", async () => {
    expect(await warningsAfter(1, "203.0.113.9")).toEqual([]);
    expect(await warningsAfter(0, undefined)).toEqual([]);
  });
});
