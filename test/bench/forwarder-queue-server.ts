import { createServer } from "node:http";

// A queue of so many rows that holds none of them: pages are written as they are asked for. What a forwarder that
// drains a million rows remembers is then the forwarder's own.

const rows = Number(process.argv[2]);
let acknowledged = 0;

const row = (number: number) => ({
  id: `019aa000-0000-7000-8000-${String(number).padStart(12, "0")}`,
  surveyId: "csat",
  at: "2026-11-21T08:00:00.000Z",
  sessionId: `session-${number}`,
  observationId: null,
  rating: 1 + (number % 5),
  text: "It found the file at once and explained what it had changed.",
  taskType: "search",
});

const server = createServer((request, response) => {
  const url = new URL(request.url!, "http://bench");
  const reply = (body: unknown) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  };
  if (url.pathname === "/acknowledged") return reply({ acknowledged });
  if (request.method === "GET") {
    const limit = Number(url.searchParams.get("limit") ?? 50);
    const from = Number(url.searchParams.get("cursor") ?? acknowledged);
    const to = Math.min(rows, from + limit);
    const scores = Array.from({ length: to - from }, (_, index) => row(from + index));
    return reply(to < rows ? { scores, nextCursor: String(to) } : { scores });
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { results } = JSON.parse(Buffer.concat(chunks).toString()) as { results: unknown[] };
    acknowledged += results.length;
    reply({ ok: true, updated: results.length });
  });
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, projects: [] })}\n`);
});
process.on("SIGTERM", () => process.exit());
