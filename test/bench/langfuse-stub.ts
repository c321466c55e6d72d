import { createServer } from "node:http";

// A Langfuse that acknowledges each score and remembers its id: on the route of one score, and on the route that the
// official client's queue uses for many. One answer in ten fails in the way it is told to; 207 fails one score in ten.

const fault = process.argv[2] ?? "none";
const stored = new Set<string>();
let count = 0;

const isTenth = () => (count += 1) % 10 === 0;

interface ScoreEvent {
  id: string;
  body: { id: string };
}

/** How one score fares: 201, or 500 where one in ten is refused inside a 207. */
function take(id: string): number {
  if (fault === "207" && isTenth()) return 500;
  stored.add(id);
  return 201;
}

function many(batch: ScoreEvent[]) {
  const results = batch.map(({ id, body }) => ({ id, status: take(body.id), message: "" }));
  return {
    successes: results.filter(({ status }) => status === 201),
    errors: results.filter(({ status }) => status !== 201),
  };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/stored") return reply(200, { ids: stored.size });
    if (request.url === "/reset") {
      stored.clear();
      return reply(200, {});
    }
    if ((fault === "500" || fault === "429") && isTenth())
      return reply(Number(fault), { message: "not now" });
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (request.url === "/api/public/ingestion") return reply(207, many(body.batch));
    const status = take(body.id);
    if (status === 201) return reply(200, { id: body.id });
    return reply(207, { successes: [], errors: [{ id: body.id, status }] });
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address() as { port: number };
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}`, projects: [] })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
