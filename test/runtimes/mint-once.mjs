// Mints for the person named in the arguments with the built package, and prints what happened as one line of JSON.
// Keys and address come from AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL, as in a program of a user.
const [respondentId] = process.argv.slice(2);
const { Afterword, ApiError, createMintHandler } = await import("../../packages/node/dist/index.js");

const client = new Afterword();
const session = { respondentId, sessionId: "session-of-a-run" };
const handler = createMintHandler({ client, authorize: () => session });
const page = new Request("https://app.example.com/feedback", { method: "POST" });

const minted = await client.mint(session);
const reply = await handler(page);
const pending = [];
for await (const { rating } of client.pendingScores()) pending.push(rating);
const refused = await new Afterword({ secretKey: "aw_sk_a_key_that_nobody_was_given_0000" })
  .mint(session)
  .catch((error) => ({ isApiError: ApiError.isInstance(error), status: error.status }));

const runtime = "Bun" in globalThis ? "Bun" : "Deno" in globalThis ? "Deno" : "Node";
console.log(JSON.stringify({ runtime, minted, page: [reply.status, await reply.json()], pending, refused }));
