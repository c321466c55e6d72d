import { beforeAll, describe, expect, it } from "vitest";
import { endpoints, type EndpointKey } from "@afterword/protocol";
import { type ApiClient, type Reply } from "@afterword/conformance";
import { type OpenWorld } from "./api-world.ts";
import { useApi } from "./suite-api.ts";

/** Everything of the victim's project that an attacker could try to reach. */
interface Loot {
  id: string;
  respondentId: string;
  cursor: string;
  slug: string;
  surveyId: string;
  bound: string;
  unbound: string;
  used: string;
}

type Attack = [
  name: string,
  run: (thief: ApiClient, loot: Loot) => Promise<Reply>,
  nothing: (thief: ApiClient) => Promise<Reply>,
];

const spend = (path: string, token: "bound" | "unbound" | "used"): Attack => [
  `${token} token`,
  (thief, loot) => thief.call("POST", path, { body: spending(thief, loot[token], "queue-nps") }),
  (thief) => thief.call("POST", path, { body: spending(thief, "st1.none.AAAA", "queue-nps") }),
];

const spending = (thief: ApiClient, showToken: string, surveyId: string) => ({
  key: thief.keys.publishableKey,
  showToken,
  surveyId,
  rating: 1,
  userId: "thief",
});

const asking = (path: string, method = "POST"): Attack[] => [
  [
    "respondent",
    (thief, loot) =>
      thief.call(method, path, { query: { key: thief.keys.publishableKey, userId: loot.respondentId } }),
    (thief) => thief.call(method, path, { query: { key: thief.keys.publishableKey, userId: "unknown" } }),
  ],
];

const spends = (path: string) => (["bound", "unbound", "used"] as const).map((token) => spend(path, token));

const selecting = (method: string, path: string): Attack[] => {
  const by = (
    name: string,
    of: (loot: Loot) => Record<string, string>,
    none: Record<string, string>,
  ): Attack => [
    name,
    (thief, loot) => thief.server(method, path, { query: of(loot) }),
    (thief) => thief.server(method, path, { query: none }),
  ];
  return [
    by("respondent", ({ respondentId }) => ({ respondentId }), { respondentId: "unknown" }),
    by("slug", ({ slug }) => ({ surveySlug: slug }), { surveySlug: "nothing" }),
    by("respondent within slug", ({ slug, respondentId }) => ({ surveySlug: slug, respondentId }), {
      surveySlug: "nothing",
      respondentId: "unknown",
    }),
    by("e-mail", () => ({ email: "ann@example.org" }), { email: "unknown@example.org" }),
  ];
};

/** A row for each endpoint of the table: a new endpoint does not compile without one. */
const attacks: Record<EndpointKey, Attack[]> = {
  "POST /v1/sdk/bootstrap": asking("/v1/sdk/bootstrap"),
  "GET /v1/definitions": asking("/v1/definitions", "GET"),
  "POST /v1/sdk/responses": spends("/v1/sdk/responses"),
  "POST /v1/responses": spends("/v1/responses"),
  "POST /v1/dismissals": spends("/v1/dismissals"),
  "POST /v1/sdk/tokens": [
    [
      "survey",
      (thief, { surveyId, respondentId }) => thief.mint({ surveyId, respondentId }),
      (thief) => thief.mint({ surveyId: "nothing", respondentId: "unknown" }),
    ],
  ],
  "POST /v1/sdk/tokens/check": (["bound", "unbound", "used"] as const).flatMap((token): Attack[] => [
    [`${token} token`, (thief, loot) => thief.check(loot[token]), (thief) => thief.check("st1.none.AAAA")],
    [
      `list with its ${token} token`,
      (thief, loot) => thief.check({ showTokens: [loot[token]] }),
      (thief) => thief.check({ showTokens: ["st1.none.AAAA"] }),
    ],
  ]),
  "POST /v1/shown": (["bound", "unbound", "used"] as const).map((token) => [
    `${token} token`,
    (thief, loot) => thief.shown(loot[token]),
    (thief) => thief.shown("st1.none.AAAA"),
  ]),
  "GET /v1/sdk/pending-scores": [
    [
      "cursor",
      (thief, { cursor }) => thief.pending({ cursor }),
      (thief) => thief.pending({ cursor: "AAAA" }),
    ],
    ["queue", (thief) => thief.pending(), (thief) => thief.pending({ includeFailed: "true" })],
  ],
  "POST /v1/sdk/pending-scores/ack": (["delivered", "failed"] as const).map((state) => [
    `id as ${state}`,
    (thief, { id }) => thief.ack([{ id, state }]),
    (thief) => thief.ack([{ id: "nothing", state }]),
  ]),
  "GET /v1/privacy/export": selecting("GET", "/v1/privacy/export"),
  "DELETE /v1/privacy/erase": [
    ...selecting("DELETE", "/v1/privacy/erase"),
    ["account", (thief) => thief.erase({ account: "true" }), (thief) => thief.erase({ account: "1" })],
  ],
};

/** What differs between any two replies: ids of requests, clocks, fresh tokens, and what the caller sent itself. */
function comparable({ status, json }: Reply): unknown {
  const { instance: _i, exportedAt: _e, issuedAt: _a, respondentIds, ...rest } = json ?? {};
  const tokens = (value: unknown) => Object.keys((value as object | undefined) ?? {});
  return {
    status,
    ...rest,
    ...(respondentIds && { respondentIds: respondentIds.length }),
    tokens: tokens(rest.tokens),
    reason: Object.values(rest.reason ?? {}),
    showTokens: tokens(rest.showTokens),
  };
}

export function isolationSuite(open: OpenWorld) {
  describe("another project's things do not exist", () => {
    // Thieves have nothing of their own, so that a reply about nothing is known.
    const suite = useApi(open);
    const steal = async (): Promise<Loot> => {
      const victim = suite.client("queue");
      const respondentId = suite.newPerson();
      const [id] = [
        await victim.answer("queue-nps", respondentId),
        await victim.answer("queue-nps", suite.newPerson()),
      ];
      const used = await victim.unboundToken("queue-nps", suite.newPerson());
      await victim.submit({ showToken: used, surveyId: "queue-nps", rating: 3 });
      return {
        id,
        respondentId,
        used,
        cursor: (await victim.pending({ limit: "1" })).json.nextCursor,
        slug: "queue-nps-slug",
        surveyId: "queue-nps",
        bound: await victim.boundToken("queue-nps", { respondentId: suite.newPerson() }),
        unbound: await victim.unboundToken("queue-nps", suite.newPerson()),
      };
    };
    const everythingOfVictim = async () => {
      const client = suite.client("queue");
      const { responses } = (await client.export()).json;
      return { responses, queue: await client.drain({ includeFailed: "true" }) };
    };
    let loot: Loot;
    let before: Awaited<ReturnType<typeof everythingOfVictim>>;
    beforeAll(async () => {
      loot = await steal();
      before = await everythingOfVictim();
    });

    const cells = Object.entries(attacks).flatMap(([endpoint, list]) =>
      list.flatMap(([name, run, nothing]) =>
        ["plain", "purged"].map((thief) => ({ endpoint, name, thief, run, nothing })),
      ),
    );

    it("the matrix has a row for each endpoint", () => {
      expect(Object.keys(attacks).sort()).toEqual(Object.keys(endpoints).sort());
    });

    it.each(cells)(
      "$endpoint with the $name of another project, by $thief",
      async ({ thief, run, nothing }) => {
        const [stolen, absent] = [await run(suite.client(thief), loot), await nothing(suite.client(thief))];
        expect(comparable(stolen)).toEqual(comparable(absent));
        expect(await everythingOfVictim()).toEqual(before);
      },
    );

    it("what was attacked still works for its owner", async () => {
      const owner = suite.client("queue");
      for (const showToken of [loot.bound, loot.unbound])
        expect((await owner.submit({ showToken, surveyId: "queue-nps", rating: 3 })).status).toBe(201);
    });
  });
}
