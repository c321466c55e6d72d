import { equal, ok } from "node:assert/strict";
import { inOrder, problem, to } from "./played.ts";
import { type Answer, type Answering, type SeenRequest } from "./client-server.ts";
import { type ClientUnderTest, keys, type Task } from "./client-under-test.ts";

export const survey = {
  id: "csat",
  slug: "csat",
  type: "csat",
  question: "How well did the agent do?",
  presentation: "inline",
  trigger: "manual",
};

export const task: Task = { respondentId: "person-1", surveyId: "csat", rating: 4, text: "quick" };

/** A reply of bootstrap that lets the page ask. */
export const asking = (fields: object = {}): Answer => ({
  body: { surveys: [survey], suppression: [], showTokens: { csat: "st1.key.token" }, ...fields },
});

export const stored: Answer = {
  status: 201,
  body: { ok: true, id: "01a1fd16-8805-74a8-ace7-b794ffe595af", at: "2026-01-02T03:04:05.678Z" },
};

export const used = (existing: object): Answer => problem(409, "token_used", { existing });
export const answered = {
  id: "01a1fd16-8805-74a8-ace7-b794ffe595af",
  at: "2026-01-02T03:04:05.678Z",
  kind: "response",
};

export const submitPaths = ["/v1/sdk/responses", "/v1/responses"];

export interface PlayedPage {
  bootstraps: SeenRequest[];
  submits: SeenRequest[];
  dismissals: SeenRequest[];
  /** What the command says has become of the answer: `stored`, `refused`, or anything else. */
  result: unknown;
  question: unknown;
  followUpQuestion: unknown;
  shown: SeenRequest[];
}

/** Lets the page act while bootstrap answers one thing, and submits and dismissals others in turn. */
export async function playPage(
  client: ClientUnderTest,
  {
    bootstrap = asking(),
    answers = [stored],
    given = task,
  }: { bootstrap?: Answer; answers?: Answer[]; given?: Task },
): Promise<PlayedPage> {
  const next = inOrder(...answers);
  const answer: Answering = ({ path }) => {
    if (path === "/v1/sdk/bootstrap" || path === "/v1/definitions") return bootstrap;
    if (submitPaths.includes(path) || path === "/v1/dismissals") return next();
    return problem(404, "route_not_found");
  };
  const { seen, said } = await client.play(given, answer);
  const reported = to(seen, "/v1/shown");
  if (!JSON.stringify(bootstrap).includes('"shown"'))
    equal(reported.length, 0, "a report that a survey was shown, which no reply asked for");
  for (const { headers, text } of seen)
    ok(!`${JSON.stringify(headers)}${text}`.includes(keys.secretKey), "the page sends a secret key");
  return {
    bootstraps: seen.filter(({ path }) => path === "/v1/sdk/bootstrap" || path === "/v1/definitions"),
    submits: seen.filter(({ path }) => submitPaths.includes(path)),
    dismissals: to(seen, "/v1/dismissals"),
    result: said?.result,
    question: said?.question,
    followUpQuestion: said?.followUpQuestion,
    shown: reported,
  };
}

/** Every submit says the same: only so can a repetition do no harm. */
export function expectSameSubmits(submits: SeenRequest[]): void {
  const said = submits.map(({ json }) =>
    JSON.stringify([json?.showToken, json?.surveyId, json?.rating, json?.text]),
  );
  equal(new Set(said).size <= 1, true, "a repeated submit says something else");
}
