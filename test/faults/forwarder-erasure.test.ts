import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { startCommand, startFake, startProgram } from "./forwarder-process.ts";
import { ForwarderWorld } from "./forwarder-world.ts";

/** A receiver of webhooks that keeps ratings, deletes what is erased, and stores a rating only when it is told to. */
async function startReceiver() {
  const stored = new Set<string>();
  const held: (() => void)[] = [];
  const fake = await startFake((_, response: ServerResponse, body) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { id: string } };
    const end = () => void response.writeHead(204).end();
    if (type === "afterword.rating.erased") {
      stored.delete(data.id);
      return end();
    }
    held.push(() => {
      stored.add(data.id);
      end();
    });
  });
  return { ...fake, stored, held, release: () => held.splice(0).forEach((store) => store()) };
}

const selector = { respondentId: "respondent-1" };
const person = ["erase", "--respondent", selector.respondentId, "--yes", "--sink", "webhook"];

it("a person who is erased while a forwarder pushes their rating is erased at the sink as well", async () => {
  await using world = await ForwarderWorld.start();
  await using receiver = await startReceiver();
  const [id] = await world.rate(1);
  using forwarder = startProgram(world, receiver.url);
  await expect.poll(() => receiver.held.length, { timeout: 30_000 }).toBe(1);
  // The forwarder's own request comes to the receiver when the service and the sink have erased the person.
  using erasure = startCommand(world, receiver.url, [...person, "--forwarder-hold", "5s"]);
  await expect.poll(erasure.output, { timeout: 30_000 }).toContain('"certainAt":"2');
  receiver.release();
  await expect.poll(() => [...receiver.stored]).toEqual([id]);
  const { code, output } = await erasure.ended;
  expect(code).toBe(0);
  expect(JSON.parse(output.trim().split("\n").at(-1)!)).toMatchObject({ responseIds: [id], certainAt: null });
  expect([...receiver.stored]).toEqual([]);
  forwarder.child.kill("SIGTERM");
  await forwarder.ended;
});
