import { Afterword, createMintHandler } from "@afterword/node";
import express, { type Request as ExpressRequest } from "express";
import { authorize, runTask } from "./run-task.ts";

// AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… node express.ts

const mint = createMintHandler({
  client: new Afterword(),
  authorize,
  surveyId: "task-done",
  logger: console,
});

/** Converts Express's request into the standard one that the handler takes, without a body. */
function standardRequest(request: ExpressRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const url = `${request.protocol}://${request.get("host")}${request.originalUrl}`;
  return new Request(url, { method: request.method, headers });
}

const app = express();

app.post("/task", express.text(), async (request, response) => {
  response.send(await runTask(request.get("x-person") ?? "", String(request.body)));
});

app.all("/feedback", async (request, response) => {
  const reply = await mint(standardRequest(request));
  response
    .status(reply.status)
    .setHeaders(reply.headers)
    .send(await reply.text());
});

const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});
