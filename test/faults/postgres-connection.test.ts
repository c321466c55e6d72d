import { openStore, type OperatedStore as Store } from "@afterword/server/internal";
import { afterEach, describe, expect, inject, it } from "vitest";
import { asOperator, freshPostgres } from "../conformance/postgres-database.ts";
import { addProject, exportOf, idsOf, response } from "../conformance/store-world.ts";
import { proofScale } from "./proof-scale.ts";
import { openTcpGate, type TcpGate } from "./tcp-gate.ts";

let store: Store | undefined;
let gate: TcpGate | undefined;

afterEach(async () => {
  gate?.open();
  await store?.close();
  await gate?.close();
  [store, gate] = [undefined, undefined];
});

/** A store whose connections all go through a gate. */
async function behindGate(parameters: Record<string, string> = {}) {
  const database = await freshPostgres(inject("postgresUrl"));
  const url = new URL(database);
  gate = await openTcpGate(url.hostname, Number(url.port));
  url.port = String(gate.port);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  store = await openStore(url.href);
  return { store, gate, database };
}

const unavailable = expect.objectContaining({ name: "StoreUnavailable" });

/** What every method says while the database is away. */
async function refusals(of: Store, projectId: string) {
  const calls = [
    of.ping(),
    of.directoryVersion(),
    of.readDirectory(),
    of.changeDirectory(() => ({})),
    of.administration.recordKeyUse(new Map([["key", { mint: 1 }]])),
    of.administration.changeAgreement("name", "value"),
    of.askFacts(projectId, { respondentHash: new Uint8Array(16), countedSurveyIds: ["survey"] }),
    of.submit(response(projectId)),
    of.dismiss(response(projectId)),
    of.spentTokens(projectId, [new Uint8Array(16)]),
    of.pendingScores({ projectId, after: 0, includeFailed: true, limit: 1 }),
    of.answerToCompare(projectId, new Uint8Array(16), 3),
    of.pendingScores(
      { projectId, after: 0, includeFailed: true, limit: 1 },
      { consumer: "a", now: 0, until: 1 },
    ),
    of.acknowledge(projectId, new Map([["id", { state: "failed" }]]), 0),
    of.openExport({ projectId }),
    of.erase({ projectId, surveyIds: ["survey"] }),
    of.erase({ projectId, secrets: "00" }),
    of.forgetExpiredTokens({ idsBefore: new Uint8Array(16), runsUsedBefore: 0 }, 1),
    of.administration.queueFacts(),
    of.administration.writeAheadLogBytes(),
    of.administration.importResponses([]),
    of.administration.retain({ responsesDeleted: 0 }, 1),
  ];
  return (await Promise.allSettled(calls)).map((call) =>
    call.status === "rejected" ? call.reason : call.value,
  );
}

describe("a database that goes away", () => {
  it("makes every method fail with StoreUnavailable, and answer again once it is back", async () => {
    const { store, gate } = await behindGate();
    const project = await addProject(store);
    gate.cut();
    const answers = await refusals(store, project);
    expect(answers).toEqual(answers.map(() => unavailable));
    gate.open();
    await expect(store.ping()).resolves.toBeUndefined();
    await expect(store.submit(response(project))).resolves.toEqual({ outcome: "stored" });
  });

  it("that is silent times out", async () => {
    const { store, gate } = await behindGate({
      statement_timeout: "200",
      query_timeout: "300",
      connect_timeout: "1",
    });
    const project = await addProject(store);
    await store.submit(response(project));
    gate.hold();
    await expect(store.submit(response(project))).rejects.toEqual(unavailable);
    await expect(store.ping()).rejects.toEqual(unavailable);
    gate.open();
    await expect(store.submit(response(project))).resolves.toEqual({ outcome: "stored" });
    expect((await exportOf(store, { projectId: project })).count).toBe(2);
  });

  it("while an export is read makes the export fail, and the next one work", async () => {
    const { store, gate } = await behindGate();
    const project = await addProject(store);
    await Promise.all(Array.from({ length: 700 }, () => store.submit(response(project))));
    await using snapshot = await store.openExport({ projectId: project });
    const pages = snapshot.pages()[Symbol.asyncIterator]();
    await pages.next();
    gate.cut();
    await expect(pages.next()).rejects.toEqual(unavailable);
    gate.open();
    expect((await exportOf(store, { projectId: project })).rows).toHaveLength(700);
  });
});

describe("connections that the database ends, again and again", () => {
  it("lose no stored response and store none twice", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    store = await openStore(database);
    const project = await addProject(store);
    const endOthers = `
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    const acknowledged = new Set<string>();
    const sent = new Set<string>();
    const others: unknown[] = [];
    await asOperator(database, async (operator) => {
      for (let round = 0; round < proofScale({ quick: 12, full: 40 }); round++) {
        const records = Array.from({ length: 20 }, () => response(project));
        const submits = records.map(async (record) => {
          sent.add(record.id);
          const outcome = await store!.submit(record).catch((error: unknown) => error);
          if ((outcome as { outcome?: string }).outcome === "stored") acknowledged.add(record.id);
          else others.push(outcome);
        });
        if (round % 4) await operator.query(endOthers);
        await Promise.all(submits);
      }
    });
    expect(others).toEqual(others.map(() => unavailable));
    const { rows } = await exportOf(store, { projectId: project });
    const stored = new Set(idsOf(rows));
    expect(stored.size).toBe(rows.length);
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
    expect([...stored].filter((id) => !sent.has(id))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(sent.size / 2);
  });

  it("do not tell a record that was stored in an unknown commit from one that is new: its own id answers", async () => {
    const { store, database } = await behindGate();
    const project = await addProject(store);
    const record = response(project);
    await store.submit(record);
    // As when the commit reached the disk and its answer did not reach the node, which sends the same record again.
    expect(await store.submit(record)).toEqual({ outcome: "stored" });
    const count = "SELECT count(*)::integer AS rows FROM responses";
    const { rows } = await asOperator(database, (client) => client.query<{ rows: number }>(count));
    expect(rows).toEqual([{ rows: 1 }]);
  });
});

describe("a slow or crowded database", () => {
  it("gives up on a statement that waits for a lock too long", async () => {
    const { store, database } = await behindGate({ lock_timeout: "100" });
    await asOperator(database, async (operator) => {
      await operator.query("BEGIN");
      await operator.query("LOCK TABLE directory IN ACCESS EXCLUSIVE MODE");
      await expect(store.directoryVersion()).rejects.toEqual(unavailable);
      await operator.query("ROLLBACK");
    });
    await expect(store.directoryVersion()).resolves.toBe(0);
  });

  it("erases while slow readers hold as many exports open as there may be", async () => {
    const { store } = await behindGate({ connect_timeout: "1" });
    const project = await addProject(store);
    await store.submit(response(project));
    // Of projects of their own: exports of one project wait for each other.
    const others = await Promise.all(Array.from({ length: 5 }, () => addProject(store)));
    const openings = await Promise.allSettled(
      [project, ...others].map((projectId) => store.openExport({ projectId })),
    );
    const open = openings.flatMap((opening) => (opening.status === "fulfilled" ? [opening.value] : []));
    expect(open.length).toBeGreaterThan(1);
    const erased = await store.erase({ projectId: project, surveyIds: ["survey"] });
    expect(erased.responsesDeleted).toBe(0);
    await Promise.all(open.map((snapshot) => snapshot.close()));
  });

  it("lets submits to a project that is being purged wait for the purge, and everything else go on", async () => {
    const { store, database } = await behindGate();
    const [purged, other] = [await addProject(store), await addProject(store)];
    await asOperator(database, async (operator) => {
      await operator.query("BEGIN");
      await operator.query("SELECT 1 FROM projects WHERE id = $1 FOR UPDATE", [purged]);
      const waiting = Array.from({ length: 100 }, () => store.submit(response(purged)));
      for (let index = 0; index < 20; index++) {
        await expect(store.submit(response(other))).resolves.toEqual({ outcome: "stored" });
      }
      await expect(store.erase({ projectId: other, surveyIds: ["survey"] })).resolves.toBeDefined();
      await operator.query("UPDATE projects SET epoch = epoch + 1 WHERE id = $1", [purged]);
      await operator.query("COMMIT");
      expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ outcome: "stale" })));
    });
  });
});
