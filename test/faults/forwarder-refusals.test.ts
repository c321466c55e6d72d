import { describe, expect, it } from "vitest";
import { startFake, startGateway, startProgram } from "./forwarder-process.ts";
import { ForwarderWorld } from "./forwarder-world.ts";

/** A sink behind a firewall that does not like some ratings. */
async function startSink(status: (rating: number) => number) {
  const delivered: string[] = [];
  const fake = await startFake((request, response, body) => {
    const { data } = JSON.parse(body) as { data: { rating: number } };
    const answer = status(data.rating);
    if (answer === 204) delivered.push(String(request.headers["webhook-id"]));
    response.writeHead(answer, answer < 400 && answer >= 300 ? { location: "/login" } : {}).end();
  });
  return { ...fake, delivered };
}

describe("the program that one answer refuses", () => {
  it.each([401, 403, 404, 302])("%i for one rating delivers all others and goes on", async (status) => {
    await using world = await ForwarderWorld.start();
    // Of five people one gives a rating of 1.
    using sink = await startSink((rating) => (rating === 1 ? status : 204));
    await world.rate(40);
    using run = startProgram(world, sink.url);
    await expect.poll(() => world.waiting(), { timeout: 30_000 }).toHaveLength(8);
    expect(sink.delivered).toHaveLength(32);
    // As many as were refused when it told so: it tells once, and then once a minute.
    await expect.poll(run.errors, { timeout: 30_000 }).toMatch(/\b[1-8] waiting for webhook: POST/);
    expect(run.child.exitCode).toBeNull();
    run.child.kill("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 0 });
  });

  it("with --once delivers all others and exits with 4", async () => {
    await using world = await ForwarderWorld.start();
    using sink = await startSink((rating) => (rating === 1 ? 403 : 204));
    await world.rate(10);
    using run = startProgram(world, sink.url, ["--once"]);
    expect(await run.ended).toMatchObject({ code: 4, errors: expect.stringContaining("answered 403") });
    expect(await world.waiting()).toHaveLength(2);
  });

  it("that refuses all ratings exits with 3 with --once", async () => {
    await using world = await ForwarderWorld.start();
    using sink = await startSink(() => 401);
    await world.rate(10);
    using run = startProgram(world, sink.url, ["--once"]);
    expect(await run.ended).toMatchObject({
      code: 3,
      errors: expect.stringContaining("has stopped: webhook"),
    });
    expect(await world.waiting()).toHaveLength(10);
  });

  it.each([401, 403])("one poll with %i polls again and delivers", async (status) => {
    await using world = await ForwarderWorld.start();
    let polls = 0;
    using gateway = await startGateway(world, () => {
      polls += 1;
      return polls === 1 ? status : undefined;
    });
    using sink = await startSink(() => 204);
    await world.rate(3);
    using run = startProgram(world, sink.url, ["--base-url", gateway.url]);
    await expect.poll(() => world.waiting(), { timeout: 30_000 }).toEqual([]);
    run.child.kill("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 0 });
  });
});
