import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { startCommand, startFake, startGateway, startProgram } from "./forwarder-process.ts";
import { ForwarderWorld } from "./forwarder-world.ts";

/** A sink that answers nothing until it is told to. */
async function startHoldingSink() {
  const held: ServerResponse[] = [];
  const fake = await startFake((_, response) => void held.push(response));
  return { ...fake, held, answer: () => held.splice(0).map((response) => response.writeHead(204).end()) };
}

describe("the program on SIGTERM", () => {
  it("takes no more rows, waits for the pushes under way, acknowledges them and exits with 0", async () => {
    await using world = await ForwarderWorld.start();
    await using sink = await startHoldingSink();
    await world.rate(20);
    using run = startProgram(world, sink.url);
    const { child, ended } = run;
    await expect.poll(() => sink.held.length, { timeout: 30_000 }).toBe(8);
    child.kill("SIGTERM");
    // Nothing is taken up behind the signal, so that what is answered now is all there is.
    sink.answer();
    await expect.poll(() => sink.answer().length || child.exitCode, { timeout: 30_000 }).toBe(0);
    const { code, output } = await ended;
    const { delivered } = JSON.parse(output) as { delivered: number };
    expect(code).toBe(0);
    expect(delivered).toBeGreaterThanOrEqual(8);
    expect(await world.waiting()).toHaveLength(20 - delivered);
  });

  it("exits at once, with 130, when a second signal comes", async () => {
    await using world = await ForwarderWorld.start();
    await using sink = await startHoldingSink();
    await world.rate(1);
    using run = startProgram(world, sink.url);
    const { child, ended } = run;
    await expect.poll(() => sink.held.length, { timeout: 30_000 }).toBe(1);
    child.kill("SIGTERM");
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(await world.waiting()).toHaveLength(1);
  });
});

describe("a forwarder that was killed", () => {
  it("keeps its scores until its lease ends, and the others say so: --once, readiness, metrics and doctor", async () => {
    await using world = await ForwarderWorld.start();
    await using holding = await startHoldingSink();
    await using taking = await startFake((_, response) => void response.writeHead(204).end());
    await world.rate(30);
    using killed = startProgram(world, holding.url);
    await expect.poll(() => holding.held.length, { timeout: 30_000 }).toBe(8);
    killed.child.kill("SIGKILL");
    await killed.ended;
    await world.rate(2);
    using once = startProgram(world, taking.url, ["--once"]);
    const { code, output, errors } = await once.ended;
    const until = expect.stringMatching(/^\d{4}-.+Z$/) as string;
    const leased = { count: 30, until };
    expect(code).toBe(4);
    expect(JSON.parse(output)).toMatchObject({ delivered: 2, deferred: 0, isComplete: false, leased });
    expect(errors).toMatch(/^30 scores held by another forwarder, until \d{4}-\S+Z at the latest$/m);
    expect(errors).not.toContain("not read to its end");

    using long = startProgram(world, taking.url, ["--admin-port", "0"]);
    await expect.poll(long.errors, { timeout: 30_000 }).toContain("health checks and metrics on ");
    const [url] = /http:\S+/.exec(long.errors())!;
    const ready = async () => (await fetch(`${url}/readyz`)).json();
    await expect.poll(ready).toMatchObject({ status: "ready", leased });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("afterword_forwarder_leased 30\n");
    long.child.kill("SIGTERM");
    await long.ended;

    using doctor = startCommand(world, taking.url, ["doctor"]);
    expect((await doctor.ended).output).toMatch(
      /^warning +secret key and queue: 30 scores held by another forwarder, until .+: deliveries go on if/m,
    );
    expect(await world.waiting()).toHaveLength(30);
  });
});

describe("the program whose acknowledgements the service does not take", () => {
  const isAck = (path: string) => path.endsWith("/ack");

  it.each([
    [401, 3],
    [503, 4],
  ])("but answers with %i ends with --once by %i, by itself", async (status, exitCode) => {
    await using world = await ForwarderWorld.start();
    await using gateway = await startGateway(world, (path) => (isAck(path) ? status : undefined));
    await using sink = await startFake((_, response) => void response.writeHead(204).end());
    await world.rate(3);
    using run = startProgram(world, sink.url, ["--once", "--base-url", gateway.url]);
    expect(await run.ended).toMatchObject({ code: exitCode });
    expect(await world.waiting()).toHaveLength(3);
  });

  it("says at SIGTERM how many are not confirmed, and exits with 4", async () => {
    await using world = await ForwarderWorld.start();
    let refusals = 0;
    await using gateway = await startGateway(world, (path) => {
      if (isAck(path)) refusals += 1;
      return isAck(path) ? 503 : undefined;
    });
    await using sink = await startFake((_, response) => void response.writeHead(204).end());
    await world.rate(3);
    using run = startProgram(world, sink.url, ["--base-url", gateway.url]);
    await expect.poll(() => refusals, { timeout: 30_000 }).toBeGreaterThan(0);
    run.child.kill("SIGTERM");
    const { code, errors } = await run.ended;
    expect(code).toBe(4);
    expect(errors).toContain("3 scores delivered or refused, but not confirmed by the service");
  });
});
