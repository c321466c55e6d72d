// What runs inside a worker: the built package and nothing of Node. The keys are in the environment that it is handed.
import { Afterword, AfterwordRespondent, ApiError, createMintHandler } from "@afterword/node";

const session = { respondentId: "a-person", sessionId: "session-of-a-run" };
const clientOf = (env, secretKey = env.AFTERWORD_SECRET_KEY) =>
  new Afterword({ secretKey, baseUrl: env.AFTERWORD_BASE_URL });

/** The whole worker of a page that mints, as one would write it. */
export default {
  fetch: (request, env) => createMintHandler({ client: clientOf(env), authorize: () => session })(request),
};

async function all(rows) {
  const list = [];
  for await (const row of rows) list.push(row);
  return list;
}

/** What an agent does that asks by itself, without a browser. */
async function askAndAnswer(env, showToken) {
  const keys = { publishableKey: env.AFTERWORD_PUBLISHABLE_KEY, baseUrl: env.AFTERWORD_BASE_URL };
  const person = new AfterwordRespondent({ ...keys, userId: session.respondentId });
  person.install({ surveyId: "csat", token: showToken, sessionId: session.sessionId });
  const ask = await person.nextAsk();
  await ask.submit({ rating: 4 });
  return { type: ask.survey.type };
}

const calls = {
  "/ask": async (env, request) => askAndAnswer(env, await request.json()),
  "/mint": (env) => clientOf(env).mint({ ...session, respondentId: "another-person" }),
  "/pending": (env) => all(clientOf(env).pendingScores()),
  "/ack": async (env, request) => clientOf(env).ack(await request.json()),
  "/export": (env) => all(clientOf(env).privacy.export({ respondentId: session.respondentId })),
  "/refused": (env) =>
    clientOf(env, "aw_sk_a_key_that_nobody_was_given_0000")
      .mint(session)
      .catch((error) => ({ isApiError: ApiError.isInstance(error), status: error.status })),
};

/** Each call of the client under a path of its own. */
export const eachCall = {
  fetch: async (request, env) => Response.json(await calls[new URL(request.url).pathname](env, request)),
};
