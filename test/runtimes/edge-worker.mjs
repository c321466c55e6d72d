// What runs inside a worker: the built package and nothing of Node. The keys are in the environment that it is handed.
import { Afterword, ApiError, createMintHandler } from "@afterword/node";

const session = { respondentId: "somebody", sessionId: "session-of-a-run" };
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

const calls = {
  "/mint": (env) => clientOf(env).mint({ ...session, respondentId: "somebody-else" }),
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
