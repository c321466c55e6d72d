import { serve } from "@hono/node-server";
import { Hono } from "hono";

// The floor: what hono on Node does with a JSON body and a JSON reply when there is nothing to do between them.
const reply: unknown = JSON.parse(process.argv[2] ?? "{}");
const app = new Hono();
app.post("/echo", async (context) => {
  await context.req.json();
  return context.json(reply as object);
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
