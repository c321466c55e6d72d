import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRatedService } from "./rated-service.ts";
import { runIn, runtimes } from "./runtimes.ts";

const script = new URL("mint-once.mjs", import.meta.url);

let service: Awaited<ReturnType<typeof startRatedService>>;
beforeAll(async () => void (service = await startRatedService()));
afterAll(async () => await service.close());

describe.each(runtimes)("the built client in $name", (runtime) => {
  const mintFor = (respondentId: string) => runIn(runtime, script, [respondentId], service.variables);

  it.skipIf(runtime.command === undefined)(
    "mints, answers a page, reads the queue and knows its errors",
    async () => {
      const first = await mintFor(`first-${runtime.name}`);
      const token = expect.stringMatching(/^st2\./);
      expect(first).toMatchObject({
        runtime: runtime.name,
        minted: { tokens: { csat: token }, gated: false },
        page: [200, { tokens: { csat: token }, sessionId: "session-of-a-run" }],
        refused: { isApiError: true, status: 401 },
      });
      await service.rateOnce((first["minted"] as { tokens: Record<string, string> }).tokens["csat"]!);
      expect((await mintFor(`second-${runtime.name}`))["pending"]).toContain(4);
    },
  );
});
