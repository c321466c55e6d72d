import { Afterword, createMintHandler } from "@afterword/node";
import fastify from "fastify";
import { authorize, runTask } from "./run-task.ts";

// AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… node fastify.ts

const mint = createMintHandler({
  client: new Afterword(),
  authorize,
  surveyId: "task-done",
  logger: console,
});

const app = fastify();

app.post("/task", async ({ headers, body }) => runTask(String(headers["x-person"]), String(body)));

/** Converts Fastify's request into the standard one that the handler takes; Fastify can send the standard response. */
app.all("/feedback", async ({ method, protocol, host, originalUrl, headers: received }) => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) headers.set(name, String(value));
  return mint(new Request(`${protocol}://${host}${originalUrl}`, { method, headers }));
});

console.log(await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }));
