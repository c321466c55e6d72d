import { deepEqual, equal, ok } from "node:assert/strict";
import { under } from "../clauses/clause.ts";
import { type Answer, type SeenRequest } from "./client-server.ts";
import { type ClientUnderTest, keys, type Task } from "./client-under-test.ts";
import { byPath, expectPatience, expectSecretKey, inOrder, limited, portal, problem, to } from "./played.ts";

const path = "/v1/sdk/tokens";
const task: Task = { respondentId: "person-1", sessionId: "run-1", surveyId: "csat" };
const issuedAt = "2026-01-02T03:04:05.678Z";
const minted: Answer = { body: { tokens: { csat: "st2.key.token" }, suppression: [], issuedAt } };
const tokens = { csat: "st2.key.token" };

const play = async (client: ClientUnderTest, ...answers: Answer[]) => {
  const { seen, said } = await client.play(task, byPath({ [path]: inOrder(...answers) }));
  return { mints: to(seen, path), seen, tokens: (said?.tokens ?? {}) as Record<string, string> };
};

export const mintClientClauses = under<ClientUnderTest>("4.4 `POST /v1/sdk/tokens`", [
  {
    title: "a minter sends respondent, session and survey as JSON, with the secret key in a header",
    async run(client) {
      const { mints, tokens: got } = await play(client, minted);
      equal(mints.length, 1, `${mints.length} mints were sent for one run`);
      const [{ json, method, headers }] = mints as [(typeof mints)[number]];
      expectSecretKey(mints[0]!);
      deepEqual([json.respondentId, json.sessionId, method], ["person-1", "run-1", "POST"]);
      if (json.surveyId !== undefined) equal(json.surveyId, "csat");
      ok(/json|text\/plain/.test(headers["content-type"] ?? "json"), "the body is not sent as JSON");
      deepEqual(got, tokens);
    },
  },
  {
    title: "no token is no error",
    async run(client) {
      const body = { tokens: {}, suppression: ["csat"], issuedAt, reason: { csat: "gated" } };
      const { mints, tokens: got } = await play(client, { body });
      deepEqual([mints.length, got], [1, {}]);
    },
  },
  {
    title: "fields, reasons and reports that the minter does not know are ignored",
    async run(client) {
      const unknown = { reason: { nps: "moon_phase" }, reports: ["later"], extra: [{ deep: null }] };
      const { tokens: got } = await play(client, { body: { ...(minted.body as object), ...unknown } });
      deepEqual(got, tokens);
    },
  },
  {
    title: "after a 429 the minter waits at least as long as Retry-After says",
    run: async (client) => expectPatience((await play(client, limited, minted)).mints),
  },
  {
    title: "a refusal is final: the minter does not repeat it and has no token",
    async run(client) {
      for (const refusal of [problem(401, "secret_key_required"), problem(400, "invalid_body")]) {
        const { mints, tokens: got } = await play(client, refusal);
        deepEqual([mints.length, got], [1, {}], `after ${refusal.status}`);
      }
    },
  },
  {
    title: "a reply that is lost, cut, or from an intermediary gives no token; the mint may be sent again",
    async run(client) {
      const broken: Answer[] = [
        { fate: "lost" },
        { ...minted, fate: "cut" },
        portal(200),
        portal(502),
        { body: { unknown: 1 } },
      ];
      let repeats = 0;
      for (const first of [...broken, problem(500, "internal_error"), problem(503, "unavailable")]) {
        const { mints, tokens: got } = await play(client, first, minted);
        if (mints.length > 1) repeats++;
        deepEqual(got, mints.length > 1 ? tokens : {}, "a token out of a broken reply");
        for (const { json } of mints) deepEqual(json, mints[0]!.json, "a repeated mint differs");
      }
      return repeats > 0 ? "sends some mints again" : "never sends a mint again";
    },
  },
  {
    title: "a slow reply is read to its end, and one that stalls ends the mint",
    async run(client) {
      deepEqual((await play(client, { ...minted, fate: "slow" })).tokens, tokens);
      deepEqual((await play(client, { ...minted, fate: "stalled" })).tokens, {});
    },
  },
  {
    title: "a redirect takes the secret key nowhere else",
    async run(client) {
      const away = ({ headers: { host = "" } }: SeenRequest): Answer => ({
        status: 307,
        headers: { location: `http://localhost:${host.split(":")[1]}/elsewhere` },
        body: "",
      });
      const { seen } = await client.play(task, byPath({ [path]: away, "/elsewhere": () => minted }));
      for (const { headers } of to(seen, "/elsewhere"))
        ok(!JSON.stringify(headers).includes(keys.secretKey), "a redirect takes the key to another host");
      return to(seen, "/elsewhere").length > 0 ? "follows redirects without the key" : "follows no redirect";
    },
  },
]);
