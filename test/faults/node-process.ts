import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundleOnce } from "./bundle-once.ts";
// As a whole a type import: the program itself would listen to the messages of this process too.
import type { Measures, NodeOrder, NodeReport } from "./node-program.ts";

export type StartedNode = Extract<NodeReport, { kind: "started" }>;

/** Processes that have loaded the program and wait for an order. */
const idle: ChildProcess[] = [];

const program = fileURLToPath(new URL("./node-program.ts", import.meta.url));

/** Nodes without a version of their own are of one version in a run. */
let bundle: Promise<string> | undefined;

const launch = (file: string) => fork(file, { stdio: ["ignore", "ignore", "inherit", "ipc"] });

/** A server node in a process of its own. */
export class NodeProcess {
  readonly #process: ChildProcess;
  readonly started: StartedNode;

  readonly #mayBecomeAnother: boolean;

  private constructor(process: ChildProcess, started: StartedNode, mayBecomeAnother: boolean) {
    this.#process = process;
    this.started = started;
    this.#mayBecomeAnother = mayBecomeAnother;
  }

  static async start(order: NodeOrder): Promise<NodeProcess> {
    const file = await (bundle ??= bundleOnce(program, "packages/server"));
    const child = idle.pop() ?? launch(file);
    // The next one loads while this one works.
    if (idle.length === 0) idle.push(launch(file));
    return NodeProcess.#obeying(child, order, true);
  }

  /** A node of another version. @param file as `bundleOnce` makes it */
  static startVersion(file: string, order: NodeOrder): Promise<NodeProcess> {
    return NodeProcess.#obeying(launch(file), order, false);
  }

  /** A node of what was built, which has the files of its threads beside it, as a bundle has not. */
  static startAsBuilt(order: NodeOrder): Promise<NodeProcess> {
    return NodeProcess.#obeying(launch(program), order, true);
  }

  static async #obeying(
    child: ChildProcess,
    order: NodeOrder,
    mayBecomeAnother: boolean,
  ): Promise<NodeProcess> {
    const report = await answer(child, order);
    if (report.kind === "started") return new NodeProcess(child, report, mayBecomeAnother);
    child.kill("SIGKILL");
    throw new Error(report.kind === "failed" ? report.reason : report.kind);
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get url(): string {
    return this.started.url;
  }

  /** Ends the process without a word, with whatever it has in flight. */
  kill(): Promise<void> {
    return new Promise((resolve) => {
      this.#process.once("exit", () => resolve());
      this.#process.kill("SIGKILL");
    });
  }

  /** What the process holds now. */
  async measure(): Promise<Measures> {
    const report = await answer(this.#process, "measure");
    if (report.kind !== "measured") throw new Error("The node did not measure itself.");
    return report;
  }

  /** Lets the server finish and close; its process may become another node. */
  async stop(): Promise<void> {
    const report = await answer(this.#process, "stop");
    if (report.kind !== "stopped") throw new Error("The node did not stop.");
    if (this.#mayBecomeAnother) idle.push(this.#process);
    else this.#process.disconnect();
  }
}

function answer(child: ChildProcess, order: NodeOrder | "stop" | "measure"): Promise<NodeReport> {
  return new Promise((resolve) => {
    const onExit = (code: number | null) =>
      resolve({ kind: "failed", reason: `The node ended with ${code}.` });
    child.once("exit", onExit);
    child.once("message", (report) => {
      child.off("exit", onExit);
      resolve(report as NodeReport);
    });
    child.send(order);
  });
}

/** Ends the processes that wait. */
export function endIdleNodes(): void {
  for (const child of idle.splice(0)) child.kill("SIGKILL");
}
