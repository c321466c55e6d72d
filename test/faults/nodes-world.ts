import { type ApiWorld } from "../conformance/api/api-world.ts";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { proofScale } from "./proof-scale.ts";
import { RoundRobin } from "./round-robin.ts";
import { ServerNodes } from "./server-nodes.ts";
import { sharedClock } from "./shared-clock.ts";

const nodeCount = 3;
/** Often enough that every part of the suite meets fresh nodes, rarely enough that it is not all start-ups. */
const requestsPerKill = proofScale({ quick: 12, full: 60 });

/** Kills one node after the other until the returned function is called. */
function keepKilling(nodes: ServerNodes, proxy: RoundRobin): () => Promise<void> {
  let isOver = false;
  const over = Promise.withResolvers<void>();
  const killing = (async () => {
    for (let kills = 0; ; kills++) {
      await Promise.race([proxy.afterRequests(requestsPerKill), over.promise]);
      if (isOver) return;
      await nodes.drainKillAndReplace(kills % nodeCount);
    }
  })();
  return async () => {
    isOver = true;
    over.resolve();
    await killing;
  };
}

/** Three server processes on one PostgreSQL behind a proxy, of which one is always being killed and replaced. */
export async function openNodesWorld(server: string, onKills: (kills: number) => void): Promise<ApiWorld> {
  const database = await freshPostgres(server);
  const clock = sharedClock();
  return {
    database,
    clock,
    async start(config) {
      const proxy = await RoundRobin.open();
      const nodes = await ServerNodes.start({ database, config, clockFile: clock.file }, proxy, nodeCount);
      const stopKilling = keepKilling(nodes, proxy);
      const stop = async () => {
        await stopKilling();
        await nodes.stop();
        await proxy.close();
        onKills(nodes.kills);
      };
      return { baseUrl: proxy.url, projects: nodes.projects, stop };
    },
    dispose: async () => clock.close(),
  };
}
