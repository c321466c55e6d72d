import { describe, expect, it } from "vitest";
import { addProject, idsOf, linked, pageOf, response, type OpenedStore } from "./store-world.ts";

/** The queue of linked scores. */
export function queueSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;

  const fill = async (projectId: string, count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const one = linked(projectId, { rating: index % 6 });
      await store().submit(one);
      ids.push(one.id);
    }
    return ids;
  };

  describe("the queue", () => {
    it("lists linked responses oldest first, and never unlinked ones", async () => {
      const project = await addProject(store());
      const first = await fill(project, 3);
      await store().submit(response(project));
      const later = await fill(project, 2);
      const page = await pageOf(store(), project);
      expect(idsOf(page)).toEqual([...first, ...later]);
      expect(page.map(({ sequence }) => sequence)).toEqual(
        page.map(({ sequence }) => sequence).toSorted((one, two) => one - two),
      );
    });

    it("lists submits that came at once, each once and in one order that stays", async () => {
      const project = await addProject(store());
      const together = Array.from({ length: 30 }, () => linked(project));
      await Promise.all(together.map((one) => store().submit(one)));
      const listed = idsOf(await pageOf(store(), project));
      expect(listed.toSorted()).toEqual(idsOf(together).toSorted());
      expect(idsOf(await pageOf(store(), project))).toEqual(listed);
    });

    it("goes on after a sequence number, whatever became of the rows before it", async () => {
      const project = await addProject(store());
      const ids = await fill(project, 7);
      const seen: string[] = [];
      for (let after = 0; ;) {
        const page = await pageOf(store(), project, { after, limit: 2 });
        if (page.length === 0) break;
        seen.push(...idsOf(page));
        await store().acknowledge(project, new Map(idsOf(page).map((id) => [id, "delivered"])));
        after = page.at(-1)!.sequence;
      }
      expect(seen).toEqual(ids);
      expect(await pageOf(store(), project)).toEqual([]);
    });

    it("lists failed rows only when asked to, in their old place", async () => {
      const project = await addProject(store());
      const [one, two, three] = await fill(project, 3);
      await store().acknowledge(project, new Map([[two!, "failed"]]));
      expect(idsOf(await pageOf(store(), project))).toEqual([one, three]);
      expect(idsOf(await pageOf(store(), project, { includeFailed: true }))).toEqual([one, two, three]);
      expect(idsOf(await pageOf(store(), project, { includeFailed: true, limit: 2 }))).toEqual([one, two]);
    });

    it("tells nothing that is absent: session, observation, task and text are null", async () => {
      const project = await addProject(store());
      await store().submit(linked(project));
      expect((await pageOf(store(), project))[0]).toMatchObject({
        surveyId: "survey-1",
        sessionId: "session-1",
        observationId: null,
        taskType: null,
        text: null,
      });
    });
  });

  describe("acknowledging", () => {
    it("counts rows whose state changed: delivered is final, failed may still be delivered", async () => {
      const project = await addProject(store());
      const [one, two] = await fill(project, 2);
      const acknowledge = (id: string, state: "delivered" | "failed") =>
        store().acknowledge(project, new Map([[id, state]]));
      expect(await acknowledge(one!, "failed")).toBe(1);
      expect(await acknowledge(one!, "failed")).toBe(0);
      expect(await acknowledge(one!, "delivered")).toBe(1);
      expect(await acknowledge(one!, "delivered")).toBe(0);
      expect(await acknowledge(one!, "failed")).toBe(0);
      expect(idsOf(await pageOf(store(), project, { includeFailed: true }))).toEqual([two]);
    });

    it("passes over ids that are unknown, unlinked, odd or another project's", async () => {
      const [project, foreign] = [await addProject(store()), await addProject(store())];
      const unlinked = response(project);
      await store().submit(unlinked);
      const [theirs] = await fill(foreign, 1);
      const ids = [unlinked.id, theirs!, "unknown", "\0", "\ud800", "'; DROP TABLE responses", "{}", ""];
      expect(await store().acknowledge(project, new Map(ids.map((id) => [id, "delivered"])))).toBe(0);
      expect(idsOf(await pageOf(store(), foreign))).toEqual([theirs]);
      expect(await store().acknowledge(project, new Map())).toBe(0);
    });

    it("counts each row once when two forwarders acknowledge the same page crosswise", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const ids = await fill(project, 40);
      const states = (order: string[]) => new Map(order.map((id) => [id, "delivered" as const]));
      const updated = await Promise.all([
        store().acknowledge(project, states(ids)),
        other.acknowledge(project, states(ids.toReversed())),
        store().acknowledge(project, states(ids.slice(10, 30))),
      ]);
      expect(updated.reduce((sum, count) => sum + count, 0)).toBe(40);
      await other.close();
    });
  });

  describe("the facts about queues", () => {
    it("tell depth and age per project", async () => {
      const project = await addProject(store());
      const [oldest, failed] = await fill(project, 3);
      await store().acknowledge(project, new Map([[failed!, "failed"]]));
      const facts = (await store().administration.queueFacts()).find(
        ({ projectId }) => projectId === project,
      );
      const [first] = await pageOf(store(), project);
      expect(first?.id).toBe(oldest);
      expect(facts).toEqual({ projectId: project, pending: 2, failed: 1, oldestPendingAt: first?.at });
    });
  });
}
