import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type RunningServer } from "@afterword/server";
import { openStore, type OperatedStore as Store } from "@afterword/server/internal";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { proofScale } from "./proof-scale.ts";

// Clients that read an export slowly or not at all must not keep others from theirs, nor let the database grow.

const mebibyte = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), "afterword-export-readers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As long as the interface takes. */
const text = "x".repeat(10_000);
const answers = 5000;
const hangUps = proofScale({ quick: 100, full: 1000 });

/** Adds answers of 10 kB each, as another process on the same database. */
async function addAnswers(store: Store, count: number): Promise<void> {
  const at = Date.now();
  const answer = () => ({ id: randomUUID(), at, projectId: "p", surveyId: "nps", surveyVersion: 1 });
  for (let added = 0; added < count; added += 500) {
    const rows = Array.from({ length: 500 }, () => ({ ...answer(), respondentId: "imp_x", rating: 5, text }));
    await store.administration.importResponses(rows);
  }
}

const exportRequest = `GET /v1/privacy/export HTTP/1.1\r\nHost: a\r\nX-Service-Key: ${keysOf("p").secretKey}\r\n\r\n`;

async function ask(server: RunningServer): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(exportRequest);
  return socket;
}

/** Asks for an export of the whole project, and reads no more of it than the status. */
async function statusOfExport({ baseUrl, keys }: ApiClient): Promise<number> {
  const headers = { "x-service-key": keys.secretKey };
  const { status, body } = await fetch(`${baseUrl}/v1/privacy/export`, { headers });
  await body?.cancel();
  return status;
}

/** Takes 4 KiB a second of an export of the whole project; resolves when that has begun. */
async function slowReader(server: RunningServer) {
  const socket = await ask(server);
  await once(socket, "readable");
  expect(String(socket.read(12) ?? "")).toBe("HTTP/1.1 200");
  const taking = setInterval(() => socket.read(4096), 1000);
  const close = () => {
    clearInterval(taking);
    socket.destroy();
  };
  return { close, isOpen: () => !socket.destroyed, [Symbol.dispose]: close };
}

/** A new database: empty, or a copy of one that is closed. */
type NewDatabase = (original?: string) => Promise<string>;

const databases: [string, NewDatabase][] = [
  [
    "SQLite",
    async (original) => {
      const database = join(folder, `${randomUUID()}.db`);
      const files = original === undefined ? [] : readdirSync(folder).map((name) => join(folder, name));
      for (const file of files) {
        if (file.startsWith(original!)) copyFileSync(file, database + file.slice(original!.length));
      }
      return database;
    },
  ],
  ["PostgreSQL", (original) => freshPostgres(inject("postgresUrl"), original)],
];

async function openWorld(database: string) {
  const projects = [project("p"), project("q")];
  const server = await startServer({ database, config: { rateLimits: false, projects } });
  const store = await openStore(database, "none");
  const [client, other] = ["p", "q"].map((id) => new ApiClient(server.url, keysOf(id)));
  const close = async () => {
    await store.close();
    await server.close();
  };
  return { server, store, client: client!, other: other!, [Symbol.asyncDispose]: close };
}

// Who may read, and how much is read ahead, does not depend on the store.
describe.each(databases.slice(0, proofScale({ quick: 1, full: 2 })))(
  "a reader of an export at 4 KiB/s on %s",
  (name, newDatabase) => {
    let filled: string;
    beforeAll(async () => {
      filled = await newDatabase();
      await using world = await openWorld(filled);
      // 50 MB: the system takes 33 MiB off a connection before it makes the writer wait.
      await addAnswers(world.store, answers);
    });

    it("keeps neither the project's other exports waiting nor one person's", async () => {
      await using world = await openWorld(await newDatabase(filled));
      using slow = await slowReader(world.server);
      expect((await world.client.export({ respondentId: "a-person" })).status).toBe(200);
      const whole = await world.client.export({});
      expect([whole.status, whole.json.count, whole.json.responses.length]).toEqual([200, answers, answers]);
      expect(slow.isOpen()).toBe(true);
    });

    it("takes one of four places: the fifth export is 503 with Retry-After, a person's is not", async () => {
      await using world = await openWorld(await newDatabase(filled));
      const slow = await Promise.all([1, 2, 3, 4].map(() => slowReader(world.server)));
      const refused = await world.client.export({});
      expect([refused.status, refused.json.code]).toEqual([503, "unavailable"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await world.client.export({ respondentId: "a-person" })).status).toBe(200);
      expect((await world.other.export({})).status).toBe(200);
      for (const { close } of slow) close();
      await expect.poll(() => statusOfExport(world.client), { timeout: 10_000 }).toBe(200);
    });

    it(`${hangUps} clients that ask and hang up block no others`, async () => {
      await using world = await openWorld(await newDatabase(filled));
      using slow = await slowReader(world.server);
      for (let asked = 0; asked < hangUps; asked += 50) {
        const asking = await Promise.all(Array.from({ length: 50 }, () => ask(world.server)));
        for (const socket of asking) socket.destroy();
      }
      expect((await world.other.bootstrap("ada")).status).toBe(200);
      expect((await world.other.export({})).status).toBe(200);
      expect((await world.client.export({ respondentId: "a-person" })).status).toBe(200);
      await expect.poll(() => statusOfExport(world.client), { timeout: 10_000 }).toBe(200);
      expect(slow.isOpen()).toBe(true);
    });

    it.runIf(name === "SQLite")("does not make the write-ahead log grow with what is stored", async () => {
      const database = await newDatabase(filled);
      await using world = await openWorld(database);
      using slow = await slowReader(world.server);
      expect((await world.client.export({})).status).toBe(200);
      await addAnswers(world.store, answers);
      const logInBytes = statSync(`${database}-wal`).size;
      console.log(
        `50 MB stored beside a reader at 4 KiB/s: a log of ${(logInBytes / mebibyte).toFixed(1)} MiB`,
      );
      expect(logInBytes).toBeLessThan(24 * mebibyte);
      expect(slow.isOpen()).toBe(true);
    });
  },
);
