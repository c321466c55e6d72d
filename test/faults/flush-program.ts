import { startServer } from "@afterword/server";

// Stores as many answers as it is told, each after the one before, and ends.

const [database, count] = process.argv.slice(2);
const key = `aw_pk_${"0".repeat(28)}`;
const secretKey = `aw_sk_${"0".repeat(28)}`;
const survey = {
  id: "s",
  slug: "s",
  type: "nps",
  question: "How likely?",
  presentation: "corner",
  trigger: "auto",
  status: "active",
} as const;
const project = { id: "p", name: "p", publishableKey: key, secretKey, allowedOrigins: [], surveys: [survey] };

await using server = await startServer({ database, config: { rateLimits: false, projects: [project] } });

const post = async (path: string, body: unknown) => {
  const headers = { "content-type": "application/json", "x-service-key": secretKey };
  const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()) as { tokens: { s: string } };
};

for (let index = 0; index < Number(count); index++) {
  const { tokens } = await post("/v1/sdk/tokens", { respondentId: `r${index}`, sessionId: "session" });
  await post("/v1/sdk/responses", { key, showToken: tokens.s, surveyId: "s", rating: 9 });
}
