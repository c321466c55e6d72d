import { NodeProcess, type StartedNode } from "./node-process.ts";
import type { NodeOrder } from "./node-program.ts";
import { type RoundRobin } from "./round-robin.ts";

/** Server processes on one database, behind one proxy. */
export class ServerNodes {
  readonly #order: NodeOrder;
  readonly #proxy: RoundRobin;
  readonly #nodes: NodeProcess[] = [];
  projects: StartedNode["projects"] = [];
  /** How many nodes were killed so far. */
  kills = 0;

  private constructor(order: NodeOrder, proxy: RoundRobin) {
    this.#order = order;
    this.#proxy = proxy;
  }

  /** Starts all nodes at once, as after a deployment. */
  static async start(order: NodeOrder, proxy: RoundRobin, count: number): Promise<ServerNodes> {
    const nodes = new ServerNodes(order, proxy);
    await Promise.all(Array.from({ length: count }, (_, index) => nodes.#launch(index)));
    const reports = nodes.#nodes.flatMap(({ started }) => started.projects);
    // One of them has generated the keys, and it alone can tell them.
    nodes.projects = nodes.#nodes[0]!.started.projects.map((project) => {
      const same = reports.filter(({ id }) => id === project.id);
      return same.find(({ secretKey }) => secretKey !== undefined) ?? project;
    });
    return nodes;
  }

  async #launch(index: number): Promise<void> {
    const node = await NodeProcess.start(this.#order);
    this.#nodes[index] = node;
    this.#proxy.add(node.url);
  }

  /** Ends a node without a word, with whatever it has in flight, and starts another in its place. */
  async killAndReplace(index: number): Promise<void> {
    const node = this.#nodes[index]!;
    await node.kill();
    this.#proxy.remove(node.url);
    this.kills++;
    await this.#launch(index);
  }

  /** As `killAndReplace`, once the proxy has nothing in flight there: no request is lost on its way. */
  async drainKillAndReplace(index: number): Promise<void> {
    await this.#proxy.drain(this.#nodes[index]!.url);
    await this.killAndReplace(index);
  }

  /** Asks all nodes to stop and waits until they have. */
  async stop(): Promise<void> {
    for (const { url } of this.#nodes) this.#proxy.remove(url);
    await Promise.all(this.#nodes.map((node) => node.stop()));
  }
}
