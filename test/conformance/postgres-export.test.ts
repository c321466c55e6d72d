import { openStore, type Store } from "@afterword/reference-server";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { asOperator, freshPostgres } from "./postgres-database.ts";
import { addProject, exportOf, response } from "./store-world.ts";

const endExports = `
  SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
  WHERE datname = current_database() AND locktype = 'advisory' AND granted`;

describe("exports of several nodes on one PostgreSQL", () => {
  let database: string;
  let nodes: [Store, Store];
  let project: string;
  let otherProject: string;

  beforeEach(async () => {
    database = await freshPostgres(inject("postgresUrl"));
    nodes = [await openStore(database), await openStore(database)];
    [project, otherProject] = [await addProject(nodes[0]), await addProject(nodes[0])];
    await nodes[0].submit(response(project));
  });
  afterEach(() => Promise.all(nodes.map((node) => node.close())));

  /** An export of the other node, and whether it has begun. */
  function waiting() {
    const state = { hasBegun: false };
    const opening = nodes[1].openExport({ projectId: project }).then((snapshot) => {
      state.hasBegun = true;
      return snapshot;
    });
    return { state, opening };
  }

  it("are one at a time for a project, and the next has what was stored meanwhile", async () => {
    const first = await nodes[0].openExport({ projectId: project });
    const { state, opening } = waiting();
    // Longer than an export that need not wait takes.
    expect((await exportOf(nodes[1], { projectId: otherProject })).count).toBe(0);
    await nodes[0].submit(response(project));
    expect(state.hasBegun).toBe(false);
    expect(first.count).toBe(1);
    await first.close();
    await using second = await opening;
    expect(second.count).toBe(2);
  });

  it("do not wait for a node that has gone in the middle of its export", async () => {
    const first = await nodes[0].openExport({ projectId: project });
    const { opening } = waiting();
    // As a killed process does it: the database ends what it held.
    await asOperator(database, (operator) => operator.query(endExports));
    await using second = await opening;
    expect(second.count).toBe(1);
    await first.close();
  });
});
