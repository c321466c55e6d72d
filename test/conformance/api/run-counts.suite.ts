import { type ServerConfig } from "@afterword/server";
import { openStore } from "@afterword/server/internal";
import { describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { type ApiWorld, type OpenWorld } from "./api-world.ts";
import { keysOf, project, survey } from "./projects.ts";

const failed = { version: "2.4", facts: { outcome: "failed" } };
const config: ServerConfig = {
  rateLimits: false,
  projects: [
    project("shop", {
      gating: { surveyMaximum: 3 },
      surveys: [
        survey("plain"),
        survey("paused", { status: "paused" }),
        survey("failures", {
          askAgain: { eachRun: true },
          sampling: {
            probability: 0,
            strata: [
              { name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 },
              { name: "slow", when: [{ trait: "steps", op: "gte", value: 10 }], probability: 0 },
            ],
          },
        }),
      ],
    }),
    project("bakery"),
  ],
};

/** What the service counts of runs and tokens (contract, section 4.11): each rule on a database of its own. */
export function runCountsSuite(open: OpenWorld) {
  type Work = (client: ApiClient, world: ApiWorld) => Promise<void>;

  /** What a server has counted by the time it has stopped, as "survey version stratum kind reason: count". */
  const countedBy = async (...works: Work[]) => {
    const world = await open();
    for (const work of works) {
      const api = await world.start(config);
      await work(new ApiClient(api.baseUrl, keysOf("shop")), world);
      await api.stop();
    }
    const store = await openStore(world.database);
    const tallies = await store.administration.readResults((reader) =>
      reader.runCounts({ projectId: "shop" }),
    );
    await store.close();
    await world.dispose();
    return tallies
      .map(
        ({ surveyId, version, stratum, kind, reason, count }) =>
          [surveyId, version, stratum, kind, reason].map((part) => part ?? "-").join(" ") + `: ${count}`,
      )
      .sort();
  };
  const ofPlain = async (...works: Work[]) =>
    (await countedBy(...works))
      .filter((line) => line.startsWith("plain "))
      .map((line) => line.replace("plain ", ""));

  describe("counts of runs", () => {
    it("say of each active survey that a mint offers how many runs it was told of, left out, gated and asked about", async () => {
      const counted = await countedBy(async (client) => {
        const mint = (sessionId: string, fields = {}) =>
          client.mint({ respondentId: "ada", sessionId, ...fields });
        await mint("one", { run: failed });
        await mint("two", { run: { facts: { steps: 12 } } });
        await mint("three", { surveyId: "failures" });
        await mint("four", { surveyId: "paused" });
        await mint("five", { surveyId: "unknown" });
      });
      expect(counted).toEqual([
        "failures - - notSampled -: 1",
        "failures - - run -: 1",
        "failures - slow notSampled -: 1",
        "failures - slow run -: 1",
        "failures 2.4 failed asked -: 1",
        "failures 2.4 failed run -: 1",
        "plain - - asked -: 1",
        "plain - - run -: 1",
        "plain 2.4 - asked -: 1",
        "plain 2.4 - run -: 1",
      ]);
    });

    it("give the reason for which a run was not asked about", async () => {
      const counted = await ofPlain(async (client) => {
        for (const person of ["ada", "bob", "cyd"]) await client.answer("plain", person);
        const mint = (respondentId: string) =>
          client.mint({ respondentId, sessionId: `${respondentId}'s next`, surveyId: "plain" });
        await mint("ada");
        await mint("dan");
      });
      // Sessions of the first three have one name, and so are one run.
      expect(counted).toEqual([
        "- - answered -: 3",
        "- - asked -: 1",
        "- - gated gated: 1",
        "- - gated maximum: 1",
        "- - run -: 3",
      ]);
    });

    it("count a run once for each survey, as its first mint decided, also when it is minted again", async () => {
      const counted = await countedBy(async (client) => {
        const run = { respondentId: "ada", sessionId: "s", observationId: "o" };
        for (const surveyId of ["plain", "failures", "plain"]) await client.mint({ ...run, surveyId });
        const showToken = await client.boundToken("plain", run);
        await client.submit({ showToken, surveyId: "plain", rating: 9 });
        await client.mint(run);
        await client.mint({ ...run, observationId: "other", surveyId: "failures" });
      });
      expect(counted).toEqual([
        "failures - - notSampled -: 2",
        "failures - - run -: 2",
        "plain - - answered -: 1",
        "plain - - asked -: 1",
        "plain - - run -: 1",
      ]);
    });

    it("follow a token under the version and stratum of its run, each step once", async () => {
      const counted = await countedBy(async (client) => {
        const spend = async (
          act: (token: { showToken: string; surveyId: string; userId: string }) => Promise<unknown>,
          respondentId: string,
        ) => {
          const run = { respondentId, sessionId: `run of ${respondentId}`, run: failed };
          const showToken = await client.boundToken("failures", run);
          const again = await client.boundToken("failures", run);
          for (const one of [showToken, showToken, again]) await client.shown(one);
          for (const one of [showToken, showToken, again])
            await act({ showToken: one, surveyId: "failures", userId: respondentId });
        };
        await spend((token) => client.submit({ ...token, rating: 9 }), "ada");
        await spend((token) => client.dismiss(token), "bob");
        await spend((token) => client.submit({ ...token, rating: 99 }), "cyd");
      });
      expect(counted).toEqual([
        "failures 2.4 failed answered -: 1",
        "failures 2.4 failed asked -: 3",
        "failures 2.4 failed dismissed -: 1",
        "failures 2.4 failed run -: 3",
        "failures 2.4 failed shown -: 3",
      ]);
    });

    it("have no runs where bootstrap asks: they begin with people who were offered a token, each once a day", async () => {
      const counted = await countedBy(async (client, { clock }) => {
        const key = client.keys.publishableKey;
        await client.call("GET", "/v1/definitions", { query: { key, userId: "ada" } });
        const { json } = await client.bootstrap("ada");
        await client.bootstrap("bob");
        const showToken = json.showTokens.plain;
        await client.shown(showToken);
        await client.submit({ showToken, surveyId: "plain", rating: 9 });
        await client.bootstrap("ada");
        clock.advance(24 * 3_600_000);
        await client.bootstrap("bob");
      });
      expect(counted).toEqual([
        "plain - - answered page: 1",
        "plain - - asked page: 3",
        "plain - - shown page: 1",
      ]);
    });

    it("count nobody for a bootstrap without a person, nor for a HEAD, which gets no tokens", async () => {
      const counted = await countedBy(async (client) => {
        await client.bootstrap();
        const query = { key: client.keys.publishableKey, userId: "ada" };
        await client.call("HEAD", "/v1/definitions", { query });
      });
      expect(counted).toEqual([]);
    });

    it("outlive the server and add up; after a restart it does not recognise what it has counted", async () => {
      const mint: Work = async (client) =>
        void (await client.mint({ respondentId: "ada", surveyId: "plain" }));
      expect(await ofPlain(mint, mint)).toEqual(["- - asked -: 2", "- - run -: 2"]);
    });

    it("go with a purge of their survey or of the project, also those that were not stored yet", async () => {
      const answerBoth: Work = async (client) => {
        await client.answer("plain", "ada");
        await client.mint({ respondentId: "ada", surveyId: "failures" });
      };
      const counted = await countedBy(answerBoth, async (client, world) => {
        await answerBoth(client, world);
        await client.erase({ respondentId: "ada" });
        await client.erase({ surveySlug: "plain-slug" });
      });
      expect(counted).toEqual(["failures - - notSampled -: 2", "failures - - run -: 2"]);
      const purge: Work = async (client) => void (await client.erase({ account: "true" }));
      expect(
        await countedBy(answerBoth, async (...given) => (await answerBoth(...given), await purge(...given))),
      ).toEqual([]);
    });
  });
}
