import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type OperatedStore as Store } from "@afterword/server/internal";
import { addProject, keyRow, projectRow, surveyRow, type OpenedStore } from "./store-world.ts";

/** Projects, keys, surveys, and what nodes agree on. */
export function directorySuite(opened: () => OpenedStore): void {
  const store = () => opened().store;
  const projectOf = async (id: string, from = store()) =>
    (await from.readDirectory()).find((project) => project.id === id);

  describe("the directory", () => {
    it("gives back what was put in, absent fields included", async () => {
      const project = projectRow();
      const key = keyRow(project.id, { expiresAt: 5, publishableKey: "aw_pk_1", kind: "publishable" });
      const survey = surveyRow(project.id, { maximum: 10 });
      await store().changeDirectory(() => ({ projects: [project], keys: [key], surveys: [survey] }));
      const stored = await projectOf(project.id);
      expect(stored).toEqual({ ...project, keys: [key], surveys: [survey] });
    });

    it("replaces a row that is put in again, and leaves the others as they are", async () => {
      const id = await addProject(store());
      const keys = [keyRow(id), keyRow(id, { createdAt: 2 ** 45 })];
      await store().changeDirectory(() => ({ keys }));
      await store().changeDirectory(() => ({ keys: [{ ...keys[0]!, revokedAt: 7 }] }));
      expect((await projectOf(id))?.keys).toEqual([{ ...keys[0], revokedAt: 7 }, keys[1]]);
    });

    it("has projects, keys and surveys in one order: by when they were made, then by id; surveys by id", async () => {
      const tellings = Array.from({ length: 4 }, (_, index) => `${index}-${randomUUID()}`);
      const ids = tellings.toReversed();
      const projects = ids.map((id) => projectRow({ id, createdAt: 7 }));
      const inside = ids[0]!;
      const keys = ids.map((id) => keyRow(inside, { id, createdAt: 7 }));
      const first = keyRow(inside, { createdAt: 6 });
      const surveys = ids.map((id) => surveyRow(inside, { id, slug: id }));
      await store().changeDirectory(() => ({ projects, keys: [...keys, first], surveys }));
      const stored = (await store().readDirectory()).filter(({ id }) => ids.includes(id));
      expect(stored.map(({ id }) => id)).toEqual(tellings);
      const project = stored.find(({ id }) => id === inside)!;
      expect(project.keys.map(({ id }) => id)).toEqual([first.id, ...tellings]);
      expect(project.surveys.map(({ id }) => id)).toEqual(tellings);
    });

    it("decides on the current state, and raises the version with each change", async () => {
      const id = await addProject(store());
      const before = await store().directoryVersion();
      await store().changeDirectory((current) => {
        const { keys: _, surveys: __, ...project } = current.find((one) => one.id === id)!;
        return { projects: [{ ...project, name: `${project.name}, renamed` }] };
      });
      expect((await projectOf(id))?.name).toBe("A project, renamed");
      expect(await store().directoryVersion()).toBeGreaterThan(before);
    });

    it("keeps its version when nothing was decided", async () => {
      const before = await store().directoryVersion();
      await store().changeDirectory(() => ({}));
      expect(await store().directoryVersion()).toBe(before);
    });

    it("changes nothing when the decision throws, and passes the error on", async () => {
      const refusal = new Error("this project is closed");
      const before = await store().directoryVersion();
      const change = store().changeDirectory(() => {
        throw refusal;
      });
      await expect(change).rejects.toBe(refusal);
      expect(await store().directoryVersion()).toBe(before);
    });

    it("lets no change overlap another one, on two connections as on one", async () => {
      const id = await addProject(store(), { name: "0" });
      const other = await opened().reopen();
      const stores = [store(), other];
      const increments = Array.from({ length: 20 }, (_, index) =>
        stores[index % 2]!.changeDirectory((current) => {
          const { keys: _, surveys: __, ...project } = current.find((one) => one.id === id)!;
          return { projects: [{ ...project, name: String(Number(project.name) + 1) }] };
        }),
      );
      await Promise.all(increments);
      await other.close();
      expect((await projectOf(id))?.name).toBe("20");
    });

    it("remembers when keys were last used without counting it as a change", async () => {
      const id = await addProject(store());
      const key = keyRow(id);
      await store().changeDirectory(() => ({ keys: [key] }));
      const before = await store().directoryVersion();
      await store().administration.recordKeyUse(
        new Map([
          [key.id, { mint: 99 }],
          ["unknown", { mint: 100 }],
        ]),
      );
      expect((await projectOf(id))?.keys).toEqual([{ ...key, uses: { mint: 99 } }]);
      expect(await store().directoryVersion()).toBe(before);
    });

    it("keeps the latest time of each use of a key, in whatever order processes record them", async () => {
      const id = await addProject(store());
      const key = keyRow(id);
      await store().changeDirectory(() => ({ keys: [key] }));
      for (const uses of [{ mint: 50 }, { mint: 99, scores: 80 }, { mint: 70, scores: 90 }])
        await store().administration.recordKeyUse(new Map([[key.id, uses]]));
      expect((await projectOf(id))?.keys).toEqual([{ ...key, uses: { mint: 99, scores: 90 } }]);
    });
  });

  describe("agreements", () => {
    it("are changed one after the other, so that no process loses what another adds", async () => {
      const name = randomUUID();
      const other = await opened().reopen();
      const add = (to: Store) => to.administration.changeAgreement(name, (before = "") => `${before}x`);
      await Promise.all(Array.from({ length: 10 }, (_, index) => add(index % 2 ? store() : other)));
      expect(await store().administration.agreement(name)).toBe("x".repeat(10));
      await other.close();
    });
  });

  describe("master keys", () => {
    it("change together with projects, seen by each change and each process", async () => {
      const before = await store().masterKeys();
      const projects = [projectRow()];
      const added = { id: randomUUID(), since: 7, validUntil: 8, key: "00" };
      const other = await opened().reopen();
      const version = await store().directoryVersion();
      await store().changeDirectory((_, current) => {
        expect(current).toEqual(before);
        return { masterKeys: [added, ...current], projects };
      });
      expect(await other.masterKeys()).toEqual([added, ...before]);
      expect((await other.readDirectory()).some(({ id }) => id === projects[0]!.id)).toBe(true);
      await store().changeDirectory(() => ({ masterKeys: before }));
      expect(await other.masterKeys()).toEqual(before);
      expect(await other.directoryVersion()).toBeGreaterThan(version + 1);
      await other.close();
    });
  });
}
