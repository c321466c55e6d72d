import { serve } from "@hono/node-server";
import Database from "better-sqlite3";
import { Hono } from "hono";

// The least that a durable server does: one row into one table, committed by each request for itself.
const database = new Database(process.argv[2]!);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec("CREATE TABLE IF NOT EXISTS answers (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT");
const insert = database.prepare("INSERT INTO answers (id, body) VALUES (?, ?)");
const app = new Hono();
app.post("/echo", async (context) => {
  const id = crypto.randomUUID();
  insert.run(id, JSON.stringify(await context.req.json()));
  return context.json({ ok: true, id, at: new Date().toISOString() }, 201);
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
