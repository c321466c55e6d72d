import { Afterword, createMintHandler } from "@afterword/node";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { authorize, runTask } from "./run-task.ts";

// AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… node hono.ts

const mint = createMintHandler({
  client: new Afterword(),
  authorize,
  surveyId: "task-done",
  logger: console,
});

const app = new Hono();

app.post("/task", async ({ req, text }) =>
  text(await runTask(req.header("x-person") ?? "", await req.text())),
);
app.all("/feedback", ({ req }) => mint(req.raw));

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
