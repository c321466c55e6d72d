import { openStore, type OperatedStore as Store } from "@afterword/server/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administrationSuite } from "./store-administration.suite.ts";
import { batchesSuite } from "./store-batches.suite.ts";
import { directorySuite } from "./store-directory.suite.ts";
import { privacySuite } from "./store-privacy.suite.ts";
import { queueSuite } from "./store-queue.suite.ts";
import { runClassesSuite } from "./store-run-classes.suite.ts";
import { runCountsSuite } from "./store-run-counts.suite.ts";
import { spendingSuite } from "./store-spending.suite.ts";
import { suppressionSuite } from "./store-suppression.suite.ts";
import { addProject, exportOf, response } from "./store-world.ts";

/**
 * What every store has to keep, whatever its engine.
 *
 * @param name as the engine is called
 * @param freshDatabase makes an empty database and gives what `openStore` opens it by, as often as it is asked
 */
export function storeSuite(name: string, freshDatabase: () => Promise<string>): void {
  describe(`a store on ${name}`, () => {
    let database: string;
    let store: Store;

    beforeAll(async () => {
      database = await freshDatabase();
      store = await openStore(database);
    });
    afterAll(() => store.close());

    const opened = () => ({ store, reopen: () => openStore(database) });
    directorySuite(opened);
    batchesSuite(opened);
    spendingSuite(opened);
    queueSuite(opened);
    privacySuite(opened);
    suppressionSuite(opened);
    administrationSuite(opened);
    runClassesSuite(opened);
    runCountsSuite(opened);

    describe("as a whole", () => {
      it("opens an empty database from several processes at once", async () => {
        const other = await freshDatabase();
        const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(other)));
        const project = await addProject(stores[0]!);
        const outcomes = await Promise.all(stores.map((one) => one.submit(response(project))));
        expect(outcomes.every(({ outcome }) => outcome === "stored")).toBe(true);
        await Promise.all(stores.map((one) => one.close()));
      });

      it("finishes what it was asked for before it closes", async () => {
        const other = await freshDatabase();
        const first = await openStore(other);
        const project = await addProject(first);
        const submits = Array.from({ length: 50 }, () => first.submit(response(project)));
        await Promise.all([...submits, first.close()]);
        const second = await openStore(other);
        expect((await exportOf(second, { projectId: project })).count).toBe(50);
        await second.close();
      });
    });
  });
}
