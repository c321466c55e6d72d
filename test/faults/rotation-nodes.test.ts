import { randomBytes } from "node:crypto";
import { startServer, type ServerEvent } from "@afterword/server";
import { describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { rotate } from "./rotate-program.ts";

const config = { rateLimits: false as const, projects: [project("p")] };
const surveyId = "p-nps";
const hex = () => randomBytes(32).toString("hex");
/** Nodes look for changes each five seconds. */
const waiting = { timeout: 30_000 };

/** Nodes of one PostgreSQL whose clock can be put forward. */
class Nodes {
  #aheadInMs = 0;
  readonly database: string;
  readonly clock = { now: () => Date.now() + this.#aheadInMs };

  constructor(database: string) {
    this.database = database;
  }

  async start(masterKey?: string) {
    const events: ServerEvent[] = [];
    const { database, clock } = this;
    const listener = { emit: (event: ServerEvent) => void events.push(event) };
    const server = await startServer({ config, database, clock, masterKey, events: listener });
    const client = new ApiClient(server.url, keysOf("p"));
    const hasPickedUp = () => events.some(({ kind }) => kind === "master-key-change");
    const submit = async (showToken: string) =>
      (await client.submit({ showToken, surveyId, rating: 3 })).status;
    const offered = async (userId: string) => (await client.unboundToken(surveyId, userId)) !== undefined;
    return { server, client, events, hasPickedUp, submit, offered, close: () => server.close() };
  }

  advance(milliseconds: number): void {
    this.#aheadInMs += milliseconds;
  }
}

const openNodes = async () => new Nodes(await freshPostgres(inject("postgresUrl")));

describe("nodes on PostgreSQL whose master key is rotated", { timeout: 120_000 }, () => {
  it("pick it up from the database while they run, and accept each other's tokens all the time", async () => {
    const nodes = await openNodes();
    const [one, other] = [await nodes.start(), await nodes.start()];
    const tokenOf = (who: string) => one.client.unboundToken(surveyId, who);
    expect(await one.submit(await tokenOf("ann"))).toBe(201);
    const old = await tokenOf("bob");
    expect(await rotate(nodes.database)).toMatchObject({ code: 0 });
    // The other node may not know of it yet.
    expect(await other.submit(await tokenOf("cid"))).toBe(201);
    await expect.poll(() => [one, other].map((node) => node.hasPickedUp()), waiting).toEqual([true, true]);
    expect(await other.submit(await tokenOf("dan"))).toBe(201);
    nodes.advance(60_000);
    expect(await other.submit(await tokenOf("eve"))).toBe(201);
    expect(await other.submit(old)).toBe(201);
    for (const node of [one, other]) expect(await node.offered("ann")).toBe(false);
    await Promise.all([one.close(), other.close()]);
  });

  it("with a variable, a node without the new key says so, is not ready, and refuses no genuine token", async () => {
    const [old, next] = [hex(), hex()];
    const both = `${old},${next}`;
    const nodes = await openNodes();
    const late = await nodes.start(old);
    const ready = await nodes.start(both);
    expect(await late.submit(await late.client.unboundToken(surveyId, "ann"))).toBe(201);
    const mine = await late.client.unboundToken(surveyId, "bob");
    expect(await rotate(nodes.database, { masterKey: both })).toMatchObject({ code: 0 });
    const told = ({ events }: typeof late) =>
      events.some(
        (event) => event.kind === "background-failure" && String(event.error).includes("give it the new key"),
      );
    await expect.poll(() => [told(late), ready.hasPickedUp()], waiting).toEqual([true, true]);
    nodes.advance(60_000);
    const theirs = await ready.client.unboundToken(surveyId, "cid");
    expect((await fetch(`${late.server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${ready.server.url}/readyz`)).status).toBe(200);
    // To be sent again, to another node or later.
    expect(await late.submit(theirs)).toBe(503);
    expect(await late.submit(mine)).toBe(201);
    expect(await ready.submit(await late.client.unboundToken(surveyId, "dan"))).toBe(201);
    await late.close();
    const restarted = await nodes.start(both);
    expect(await restarted.submit(theirs)).toBe(201);
    expect(await restarted.offered("ann")).toBe(false);
    await Promise.all([ready.close(), restarted.close()]);
  });
});
