import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { benchSecretKey } from "./bench-config.ts";
import { startBuiltServer, type ChildServer } from "./child-server.ts";
import { residentMegabytes } from "./resident-memory.ts";

const millisecondsPerSecond = 1000;

/** Adds linked responses straight to the file: a million of them over HTTP would only measure HTTP again. */
export function fillQueue(path: string, projectId: string, count: number): void {
  const connection = new Database(path);
  const insert = connection.prepare(`
    INSERT INTO responses (id, project_id, survey_id, survey_version, respondent_id, session_id, rating, text, at,
      source, score_state, token_id)
    VALUES (?, ?, 's0', 1, ?, ?, 9, 'It did what I asked, and faster than I would have.', ?, 'measured', 'pending', ?)`);
  const start = 1_760_000_000_000;
  connection.transaction(() => {
    for (let index = 0; index < count; index++) {
      const at = start + index;
      const id = `${at.toString(16).padStart(12, "0")}-7000-8000-${randomBytes(10).toString("hex")}`;
      insert.run(id, projectId, `respondent-${index}`, `session-${index}`, at, randomBytes(16));
    }
  })();
  connection.pragma("wal_checkpoint(TRUNCATE)");
  connection.close();
}

export const quantile = (values: number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)]!;

async function ask(server: ChildServer, method: string, path: string, body?: unknown): Promise<Response> {
  const reply = await fetch(server.ready.url + path, {
    method,
    headers: { "X-Service-Key": benchSecretKey, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

interface Page {
  scores: { id: string }[];
  nextCursor?: string;
}

/** Milliseconds that one page of 100 takes, and where the next begins. */
export async function timePage(server: ChildServer, cursor: string | undefined) {
  const query = cursor ? `&cursor=${cursor}` : "";
  let page: Page = { scores: [] };
  const inMs = await timed(async () => {
    const reply = await ask(server, "GET", `/v1/sdk/pending-scores?limit=100${query}`);
    page = (await reply.json()) as Page;
  });
  return { inMs, page };
}

/** Milliseconds that acknowledging 200 scores takes. */
async function timeAck(server: ChildServer): Promise<number> {
  const first = await timePage(server, undefined);
  const second = await timePage(server, first.page.nextCursor);
  const results = [...first.page.scores, ...second.page.scores].map(({ id }) => ({ id, state: "delivered" }));
  return timed(async () => (await ask(server, "POST", "/v1/sdk/pending-scores/ack", { results })).json());
}

export interface QueueFigures {
  rows: number;
  pageInMs: number;
  ackInMs: number;
}

interface Queue {
  server: ChildServer;
  rows: number;
  cursor?: string;
  pages: number[];
  acks: number[];
}

const pageRounds = 200;
/** So few that a queue of 1,000 is not used up. */
const ackRounds = 4;

async function openQueue(config: string, path: string, rows: number): Promise<Queue> {
  const server = await startBuiltServer(config, path);
  fillQueue(path, server.ready.projects[0]!.id, rows);
  return { server, rows, pages: [], acks: [] };
}

/** Two queues of different length, asked in turn, so that a busy moment of the machine meets both. */
export async function benchQueues(
  config: string,
  sizes: [path: string, rows: number][],
): Promise<QueueFigures[]> {
  const queues: Queue[] = [];
  try {
    for (const [path, rows] of sizes) queues.push(await openQueue(config, path, rows));
    for (let round = 0; round < pageRounds; round++) {
      for (const queue of queues) {
        const { inMs, page } = await timePage(queue.server, queue.cursor);
        queue.cursor = page.nextCursor;
        queue.pages.push(inMs);
      }
    }
    for (let round = 0; round < ackRounds; round++) {
      for (const queue of queues) queue.acks.push(await timeAck(queue.server));
    }
    return queues.map(({ rows, pages, acks }) => ({
      rows,
      pageInMs: quantile(pages, 0.5),
      ackInMs: quantile(acks, 0.5),
    }));
  } finally {
    for (const { server } of queues) await server.stop();
  }
}

export interface ExportFigures {
  rows: number;
  startInMs: number;
  /** The same with a new database: what the program itself takes. */
  emptyStartInMs: number;
  exportInSeconds: number;
  largestResidentMegabytes: number;
  megabytesOfReply: number;
  databaseBytesPerResponse: number;
}

/** Milliseconds from launching the program to its ready line; the middle of three. */
export async function startTime(config: string, path: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    let server: ChildServer | undefined;
    times.push(await timed(async () => (server = await startBuiltServer(config, path))));
    await server?.stop();
  }
  return quantile(times, 0.5);
}

/** Opens a server on a database that is full already and exports all of it, watching its memory. */
export async function benchExport(config: string, path: string, rows: number): Promise<ExportFigures> {
  const emptyStartInMs = await startTime(config, `${path}.empty`);
  const startInMs = await startTime(config, path);
  const server = await startBuiltServer(config, path);
  let largest = 0;
  const watch = setInterval(() => (largest = Math.max(largest, residentMegabytes(server.process.pid!))), 50);
  try {
    let bytes = 0;
    const exportInMs = await timed(async () => {
      const reply = await ask(server, "GET", "/v1/privacy/export");
      for await (const chunk of reply.body!) bytes += (chunk as Uint8Array).length;
    });
    return {
      rows,
      startInMs,
      emptyStartInMs,
      exportInSeconds: exportInMs / millisecondsPerSecond,
      largestResidentMegabytes: largest,
      megabytesOfReply: bytes / 1_000_000,
      databaseBytesPerResponse: statSync(path).size / rows,
    };
  } finally {
    clearInterval(watch);
    await server.stop();
  }
}
