import { describe, expect, it } from "vitest";
import { acks, addProject, idsOf, linked, noon, pageOf, type OpenedStore } from "./store-world.ts";

const hour = 3_600_000;

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

  const queueOf = (projectId: string, since: number) =>
    store().administration.readResults((reader) => reader.queue(projectId, since));

  describe("the queue", () => {
    it("lists submits that came at once, each once and in one order that stays", async () => {
      const project = await addProject(store());
      const together = Array.from({ length: 30 }, () => linked(project));
      await Promise.all(together.map((one) => store().submit(one)));
      const listed = idsOf(await pageOf(store(), project));
      expect(listed.toSorted()).toEqual(idsOf(together).toSorted());
      expect(idsOf(await pageOf(store(), project))).toEqual(listed);
    });
  });

  describe("a lease", () => {
    const whole = (projectId: string) => ({ projectId, after: 0, includeFailed: false, limit: 100 });
    const lease = async (projectId: string, consumer: string, now: number, lasts?: number, page = {}) => {
      const until = lasts === undefined ? undefined : now + lasts;
      const asked = { ...whole(projectId), ...page };
      return idsOf((await store().leaseScores(asked, { consumer, now, until })).scores);
    };

    it("is renewed by each listing to its own consumer", async () => {
      const project = await addProject(store());
      const ids = await fill(project, 2);
      for (const now of [noon, noon + 900, noon + 1800])
        expect(await lease(project, "a", now, 1000)).toEqual(ids);
      expect(await lease(project, "b", noon + 2799, 1000)).toEqual([]);
    });

    it("ends when it is given back, in this project alone, and then nothing is kept", async () => {
      const [project, other] = [await addProject(store()), await addProject(store())];
      const [ids, others] = [await fill(project, 2), await fill(other, 1)];
      await lease(project, "a", noon, 1000);
      await lease(other, "a", noon, 1000);
      expect(await lease(project, "a", noon)).toEqual(ids);
      expect(await lease(project, "b", noon, 1000)).toEqual(ids);
      expect(await lease(project, "a", noon)).toEqual([]);
      expect(await lease(other, "b", noon, 1000)).toEqual([]);
      expect(await lease(other, "a", noon, 1000)).toEqual(others);
    });

    it("says where the next page begins, whatever is held in between", async () => {
      const project = await addProject(store());
      const ids = await fill(project, 6);
      await lease(project, "a", noon, 1000, { limit: 3 });
      const until = noon + 1000;
      const page = (after: number) =>
        store().leaseScores({ ...whole(project), after, limit: 2 }, { consumer: "b", now: noon, until });
      const first = await page(0);
      expect(idsOf(first.scores)).toEqual(ids.slice(3, 5));
      const last = await page(first.continuesAfter!);
      expect([idsOf(last.scores), last.continuesAfter]).toEqual([[ids[5]], undefined]);
    });

    it("is counted for all other consumers, with the end of the last one, while the score is in the queue", async () => {
      const project = await addProject(store());
      const other = await addProject(store());
      const ids = await fill(project, 6);
      await fill(other, 2);
      const leasedTo = async (consumer: string, now: number, page = {}) => {
        const asked = { ...whole(project), after: 1_000_000, ...page };
        return (await store().leaseScores(asked, { consumer, now, until: now + 1 })).leased;
      };
      const none = { count: 0, until: null };
      expect(await leasedTo("c", noon)).toEqual(none);
      await lease(project, "a", noon, 5000, { limit: 2 });
      await lease(project, "b", noon, 9000, { limit: 3 });
      await lease(other, "a", noon, 20_000);
      expect(await leasedTo("a", noon)).toEqual({ count: 3, until: noon + 9000 });
      expect(await leasedTo("c", noon)).toEqual({ count: 5, until: noon + 9000 });
      expect(await leasedTo("c", noon + 5000)).toEqual({ count: 3, until: noon + 9000 });
      await store().acknowledge(project, acks([ids[2]!, ids[3]!], "delivered"), noon);
      expect(await leasedTo("c", noon + 5000)).toEqual({ count: 1, until: noon + 9000 });
      await store().acknowledge(project, acks([ids[4]!], "failed"), noon);
      await lease(project, "b", noon + 5000, 9000, { includeFailed: true, after: 0 });
      expect(await leasedTo("c", noon + 5000)).toEqual({ count: 3, until: noon + 14_000 });
      expect(await leasedTo("c", noon + 5000, { includeFailed: true })).toEqual({
        count: 4,
        until: noon + 14_000,
      });
      expect(await leasedTo("c", noon + 14_000)).toEqual(none);
      expect(await leasedTo("c", noon - 3_600_000)).toEqual(none);
    });

    it("is given once for each score, though consumers poll at the same moment over several connections", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const ids = await fill(project, 60);
      const walk = async (consumer: string, target: typeof other) => {
        const listed: string[] = [];
        for (let after: number | undefined = 0; after !== undefined;) {
          const asked = { ...whole(project), after, limit: 7 };
          const page = await target.leaseScores(asked, { consumer, now: noon, until: noon + 1000 });
          listed.push(...idsOf(page.scores));
          after = page.continuesAfter;
        }
        return listed;
      };
      const consumers = ["a", "b", "c", "d"];
      const walks = consumers.map((consumer, index) => walk(consumer, index % 2 ? other : store()));
      expect((await Promise.all(walks)).flat().toSorted()).toEqual(ids.toSorted());
      await other.close();
    });

    it("is no longer than any because the clock was set back since", async () => {
      const project = await addProject(store());
      const ids = await fill(project, 1);
      await lease(project, "a", noon, 120_000);
      expect(await lease(project, "b", noon - 3_600_000, 120_000)).toEqual(ids);
    });

    it("goes with its project's data", async () => {
      const project = await addProject(store());
      await fill(project, 1);
      await lease(project, "a", noon, 1000);
      await store().erase({ projectId: project, secrets: "00" });
      expect(await lease(project, "b", noon, 1000)).toEqual([]);
    });
  });

  describe("the facts about queues", () => {
    it("tell depth and age per project", async () => {
      const project = await addProject(store());
      const [oldest, failed] = await fill(project, 3);
      await store().acknowledge(project, acks([failed!], "failed"), noon);
      const facts = (await store().administration.queueFacts()).find(
        ({ projectId }) => projectId === project,
      );
      const [first] = await pageOf(store(), project);
      expect(first?.id).toBe(oldest);
      expect(facts).toEqual({ projectId: project, pending: 2, failed: 1, oldestPendingAt: first?.at });
    });

    it("tell for people why scores failed, and forget it when they are delivered", async () => {
      const project = await addProject(store());
      const [first, second, third, silent] = await fill(project, 6);
      const acknowledge = (ids: string[], state: "delivered" | "failed", reason?: string) =>
        store().acknowledge(project, acks(ids, state, reason), noon);
      await acknowledge([first!, second!], "failed", "answered 400");
      await acknowledge([third!], "failed", "no rating \0");
      await acknowledge([silent!], "failed");
      await acknowledge([first!], "delivered", "a reason that means nothing");
      const { waiting, failed, failures } = await queueOf(project, noon);
      expect({ waiting, failed }).toEqual({ waiting: 2, failed: 3 });
      expect(failures).toHaveLength(3);
      expect(failures).toContainEqual({ reason: "answered 400", count: 1 });
      expect(failures).toContainEqual({ reason: null, count: 1 });
      await acknowledge([second!, silent!], "delivered");
      expect((await queueOf(project, noon)).failures).toHaveLength(1);
    });

    it("tell the newest reason of a score that failed again, and keep it if there is no newer one", async () => {
      const project = await addProject(store());
      const [first, second] = await fill(project, 2);
      const fail = (reason?: string) =>
        store().acknowledge(project, acks([first!, second!], "failed", reason), noon);
      const reasons = async () => (await queueOf(project, noon)).failures;
      expect([await fail(), await reasons()]).toEqual([2, [{ reason: null, count: 2 }]]);
      expect([await fail("answered 400"), await reasons()]).toEqual([
        0,
        [{ reason: "answered 400", count: 2 }],
      ]);
      expect([await fail("answered 404"), await reasons()]).toEqual([
        0,
        [{ reason: "answered 404", count: 2 }],
      ]);
      expect([await fail(), await reasons()]).toEqual([0, [{ reason: "answered 404", count: 2 }]]);
      await store().acknowledge(project, acks([second!], "delivered"), noon);
      expect([await fail("answered 410"), await reasons()]).toEqual([
        0,
        [{ reason: "answered 410", count: 1 }],
      ]);
    });

    it("tell the ten most frequent reasons", async () => {
      const project = await addProject(store());
      const ids = await fill(project, 14);
      for (const [index, id] of ids.entries())
        await store().acknowledge(project, acks([id], "failed", `reason ${index % 12}`), noon);
      const { failed, failures } = await queueOf(project, noon);
      expect({ failed, told: failures.length }).toEqual({ failed: 14, told: 10 });
      expect(failures.slice(0, 2)).toEqual([
        { reason: "reason 0", count: 2 },
        { reason: "reason 1", count: 2 },
      ]);
    });

    it("tell what was delivered in each hour, each score once", async () => {
      const project = await addProject(store());
      const [first, second, third, fourth] = await fill(project, 4);
      const deliver = (ids: string[], at: number) => store().acknowledge(project, acks(ids, "delivered"), at);
      await deliver([first!, second!], noon);
      await deliver([second!, "unknown"], noon + 1);
      await deliver([third!], noon + hour - 1);
      await deliver([fourth!], noon + hour);
      const deliveries = async (since: number) => (await queueOf(project, since)).deliveries;
      expect(await deliveries(noon)).toEqual([
        { hour: noon, delivered: 3 },
        { hour: noon + hour, delivered: 1 },
      ]);
      expect(await deliveries(noon + 1)).toEqual([{ hour: noon + hour, delivered: 1 }]);
      await store().erase({ projectId: project, secrets: "00" });
      expect(await deliveries(0)).toEqual([]);
    });

    it("count each score once that two forwarders acknowledge crosswise", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const ids = await fill(project, 40);
      const updated = await Promise.all([
        store().acknowledge(project, acks(ids, "delivered"), noon),
        other.acknowledge(project, acks(ids.toReversed(), "delivered"), noon),
        store().acknowledge(project, acks(ids.slice(10, 30), "delivered"), noon),
      ]);
      expect(updated.reduce((sum, count) => sum + count, 0)).toBe(40);
      expect((await queueOf(project, noon)).deliveries).toEqual([{ hour: noon, delivered: 40 }]);
      await other.close();
    });
  });
}
