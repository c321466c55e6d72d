import { describe, expect, it } from "vitest";
import { type ProjectConfig, type ServerConfig } from "@afterword/reference-server";
import { ApiClient } from "@afterword/conformance";
import { type ApiWorld, type OpenWorld, type RunningApi } from "./api-world.ts";
import { keysOf, project, survey } from "./projects.ts";

const configOf = (...projects: ProjectConfig[]): ServerConfig => ({ rateLimits: false, projects });

interface Starts {
  world: ApiWorld;
  /** Stops what runs, starts with this config, and gives a client of the first project. */
  next(config: ServerConfig): Promise<{ api: RunningApi; client: ApiClient }>;
}

export function restartSuite(open: OpenWorld) {
  const inWorld = async (story: (starts: Starts) => Promise<void>) => {
    const world = await open();
    let running: RunningApi | undefined;
    const next = async (config: ServerConfig) => {
      await running?.stop();
      running = await world.start(config);
      const { publishableKey, secretKey } = { ...keysOf(config.projects[0]!.id), ...config.projects[0] };
      return { api: running, client: new ApiClient(running.baseUrl, { publishableKey, secretKey }) };
    };
    try {
      await story({ world, next });
    } finally {
      await running?.stop();
      await world.dispose();
    }
  };

  describe("starting again", () => {
    it("with the same config changes nothing: tokens, suppression, cursors and rows go on", () =>
      inWorld(async ({ next }) => {
        const config = configOf(project("p", { surveys: [survey("a"), survey("b")] }));
        const { client: before } = await next(config);
        await before.answer("a", "ann");
        await before.answer("a", "bob");
        const showToken = await before.unboundToken("b", "ann");
        const cursor = (await before.pending({ limit: "1" })).json.nextCursor;
        const { client } = await next(config);
        expect((await client.bootstrap("ann")).json.suppression).toEqual(["a"]);
        expect((await client.pending({ cursor })).json.scores).toHaveLength(1);
        expect((await client.submit({ showToken, surveyId: "b", rating: 1 })).status).toBe(201);
        expect((await client.submit({ showToken, surveyId: "b", rating: 1 })).status).toBe(409);
        expect(
          (await client.export()).json.responses.map((row: { surveyVersion: number }) => row.surveyVersion),
        ).toEqual([1, 1, 1]);
      }));

    it("generates keys once: the secret is told by the very start that made it, and never again", () =>
      inWorld(async ({ next }) => {
        const config = configOf(project("p", { publishableKey: undefined, secretKey: undefined }));
        const { api: first } = await next(config);
        const { publishableKey, secretKey } = first.projects[0]!;
        expect(publishableKey).toMatch(/^aw_pk_[0-9A-Za-z]{49}$/);
        expect(secretKey).toMatch(/^aw_sk_[0-9A-Za-z]{49}$/);
        const { api: second } = await next(config);
        expect(second.projects[0]).toEqual({ id: "p", publishableKey });
        const client = new ApiClient(second.baseUrl, { publishableKey, secretKey: secretKey! });
        expect((await client.pending()).status).toBe(200);
        expect((await client.bootstrap()).status).toBe(200);
      }));

    it("with another key in the config takes the new one and revokes the old", () =>
      inWorld(async ({ next }) => {
        const { client: old } = await next(configOf(project("p")));
        const { api, client } = await next(configOf(project("p", keysOf("renewed"))));
        expect((await client.pending()).status).toBe(200);
        expect((await client.bootstrap()).status).toBe(200);
        const stale = new ApiClient(api.baseUrl, old.keys);
        expect((await stale.pending()).status).toBe(401);
        expect((await stale.bootstrap()).status).toBe(401);
      }));

    it("with a changed survey gives it a new version, and what was answered keeps its own", () =>
      inWorld(async ({ next }) => {
        const { client: before } = await next(configOf(project("p", { surveys: [survey("a")] })));
        await before.answer("a", "ann");
        const changed = survey("a", { question: "Another question?" });
        await next(configOf(project("p", { surveys: [changed] })));
        // A change of status alone is no change of the definition.
        await next(configOf(project("p", { surveys: [{ ...changed, status: "paused" }] })));
        const { client } = await next(configOf(project("p", { surveys: [changed] })));
        await client.answer("a", "bob");
        const { json } = await client.export();
        expect(json.responses.map((row: { surveyVersion: number }) => row.surveyVersion)).toEqual([1, 2]);
      }));

    it("with a survey paused accepts the tokens that are out and issues no more", () =>
      inWorld(async ({ next }) => {
        const { client: before } = await next(configOf(project("p", { surveys: [survey("a")] })));
        const showToken = await before.boundToken("a", { respondentId: "ann" });
        const { client } = await next(
          configOf(project("p", { surveys: [survey("a", { status: "paused" })] })),
        );
        expect((await client.mint({ respondentId: "bob" })).json.tokens).toEqual({});
        expect((await client.bootstrap()).json.surveys).toEqual([]);
        expect((await client.submit({ showToken, surveyId: "a", rating: 1 })).status).toBe(201);
      }));

    it("without a survey answers 404 to its tokens and keeps its rows, exportable by slug", () =>
      inWorld(async ({ next }) => {
        const { client: before } = await next(
          configOf(project("p", { surveys: [survey("a"), survey("b")] })),
        );
        await before.answer("a", "ann");
        const showToken = await before.boundToken("a", { respondentId: "bob" });
        const { client } = await next(configOf(project("p", { surveys: [survey("b")] })));
        const reply = await client.submit({ showToken, surveyId: "a", rating: 1 });
        expect([reply.status, reply.json.code]).toEqual([404, "survey_not_found"]);
        expect((await client.export({ surveySlug: "a-slug" })).json.count).toBe(1);
        expect((await client.pending()).json.scores).toHaveLength(1);
        const { client: again } = await next(configOf(project("p", { surveys: [survey("a"), survey("b")] })));
        expect((await again.submit({ showToken, surveyId: "a", rating: 1 })).status).toBe(201);
      }));

    it("without a project leaves it alone: its keys still work", () =>
      inWorld(async ({ next }) => {
        await next(configOf(project("p"), project("left-out")));
        const { api } = await next(configOf(project("p")));
        // The config's projects come first, in its order.
        expect(api.projects.map(({ id }) => id)).toEqual(["p", "left-out"]);
        expect((await new ApiClient(api.baseUrl, keysOf("left-out")).bootstrap()).status).toBe(200);
      }));

    it("with other lifetimes gives new tokens the new ones; old tokens keep theirs", () =>
      inWorld(async ({ world, next }) => {
        const { client: before } = await next(configOf(project("p")));
        const old = await before.unboundToken("p-nps", "ann");
        const short = { ...configOf(project("p")), tokens: { unboundLifetime: "1m", boundLifetime: "2m" } };
        const { client } = await next(short);
        const unbound = await client.unboundToken("p-nps", "bob");
        const bound = await client.boundToken("p-nps", { respondentId: "cy" });
        world.clock.advance(121_000);
        const submit = async (showToken: string) =>
          (await client.submit({ showToken, surveyId: "p-nps", rating: 1 })).status;
        expect([await submit(old), await submit(unbound), await submit(bound)]).toEqual([201, 401, 201]);
      }));
  });
}
