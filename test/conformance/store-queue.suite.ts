import { describe, expect, it } from "vitest";
import { acks, addProject, idsOf, linked, noon, type OpenedStore } from "./store-world.ts";

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

  describe("a lease", () => {
    const whole = (projectId: string) => ({ projectId, after: 0, includeFailed: false, limit: 100 });
    const lease = async (projectId: string, consumer: string, now: number, lasts?: number, page = {}) => {
      const until = lasts === undefined ? undefined : now + lasts;
      const asked = { ...whole(projectId), ...page };
      return idsOf((await store().pendingScores(asked, { consumer, now, until })).scores);
    };

    it("is given once for each score, though consumers poll at the same moment over several connections", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const ids = await fill(project, 60);
      const walk = async (consumer: string, target: typeof other) => {
        const listed: string[] = [];
        for (let after: number | undefined = 0; after !== undefined;) {
          const asked = { ...whole(project), after, limit: 7 };
          const page = await target.pendingScores(asked, { consumer, now: noon, until: noon + 1000 });
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
  });

  describe("the facts about queues", () => {
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
