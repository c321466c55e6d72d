import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { webhookContract, webhookSecret } from "../conformance/sink-contracts/webhook.ts";
import { openStage, type SinkStage } from "../conformance/sink-stage.ts";
import { startRatedService } from "./rated-service.ts";
import { runIn, runtimes } from "./runtimes.ts";

const script = new URL("forward-once.mjs", import.meta.url);

let service: Awaited<ReturnType<typeof startRatedService>>;
let receiver: SinkStage;
let folder: string;
beforeEach(async () => {
  service = await startRatedService();
  receiver = await openStage(webhookContract().play);
  folder = await mkdtemp(join(tmpdir(), "afterword-forwarder-"));
});
afterEach(async () => {
  await receiver.close();
  await service.close();
  await rm(folder, { recursive: true });
});

describe.each(runtimes)("the built forwarder in $name", (runtime) => {
  it.skipIf(runtime.command === undefined)(
    "refuses a private address when it connects, and delivers to a webhook and a file where that is allowed",
    async () => {
      await service.rateOnce(await service.mint("a-person"));
      const path = join(folder, "scores.jsonl");
      // By a name, which leads to a private address only when it is looked up.
      const url = `${receiver.url.replace("127.0.0.1", "localhost")}/hooks/T000/hush?key=hush`;
      const told = await runIn(runtime, script, [url, webhookSecret, path], service.variables);
      expect(told).toMatchObject({
        refused: { name: "ForwarderStoppedError", message: expect.stringContaining("EPRIVATEADDRESS") },
        delivered: 1,
        failed: 0,
      });
      expect(receiver.requests).toMatchObject([{ method: "POST", body: { data: { rating: 4 } } }]);
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
        id: receiver.requests[0]!.body.data.id,
      });
    },
  );
});
