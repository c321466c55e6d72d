import { describe, expect, it } from "vitest";
import { npxWatch, type WatchedProcess } from "./npx-watch.ts";

interface Row {
  parent: number;
  command: string[];
}

/** A machine with a terminal's shell (10) that has started npx (20), and by default a shell of npx (30). */
class Machine {
  readonly rows = new Map<number, Row>([
    [10, { parent: 1, command: ["bash"] }],
    // npm writes its arguments as one text.
    [20, { parent: 10, command: ["npm exec afterword forward", "", ""] }],
    [30, { parent: 20, command: ["sh", "-c", "'afterword' forward"] }],
    [40, { parent: 30, command: ["node", "cli.js", "forward"] }],
  ]);
  env: WatchedProcess["env"] = { npm_lifecycle_event: "npx", npm_lifecycle_script: "'afterword'" };

  /** The children of a process that ends are taken over by the first one. */
  end(pid: number): void {
    this.rows.delete(pid);
    for (const row of this.rows.values()) if (row.parent === pid) row.parent = 1;
  }

  watch(hasProc = true) {
    const { rows, env } = this;
    const watched = {
      env,
      get ppid() {
        return rows.get(40)!.parent;
      },
    };
    return npxWatch("afterword", watched, (path) => {
      const [, pid, file] = /^\/proc\/(\d+)\/(stat|cmdline)$/.exec(path)!;
      const row = hasProc ? rows.get(Number(pid)) : undefined;
      if (!row) throw new Error("ENOENT");
      return file === "stat" ? `${pid} (npm exec (a) b) S ${row.parent} 0 0` : `${row.command.join("\0")}\0`;
    });
  }
}

describe("a program that npx has started", () => {
  it("goes on while npx and its shell run, and whatever becomes of the shell above npx", () => {
    const machine = new Machine();
    const isGone = machine.watch()!;
    expect(isGone()).toBe(false);
    machine.end(10);
    expect(isGone()).toBe(false);
  });

  it.each([true, false])("ends with the shell between, which npx ends on SIGTERM (/proc: %s)", (hasProc) => {
    const machine = new Machine();
    const isGone = machine.watch(hasProc)!;
    machine.end(30);
    expect(isGone()).toBe(true);
  });

  it("ends with an npx that is killed while its shell waits, where there is /proc", () => {
    const machine = new Machine();
    const [isGone, isGoneElsewhere] = [machine.watch()!, machine.watch(false)!];
    machine.end(20);
    expect([isGone(), isGoneElsewhere()]).toEqual([true, false]);
  });

  it("ends with npx where the shell has given its process to the program", () => {
    const machine = new Machine();
    machine.rows.delete(30);
    machine.rows.get(40)!.parent = 20;
    const isGone = machine.watch()!;
    machine.end(10);
    expect(isGone()).toBe(false);
    machine.end(20);
    expect(isGone()).toBe(true);
  });

  it.each([
    ["npx", "afterword"],
    ["npx", "'afterword'"],
    ["npx", "afterword forward --sink phoenix"],
  ])("is recognised by npm's variables: %s, %s", (event, script) => {
    const machine = new Machine();
    machine.env = { npm_lifecycle_event: event, npm_lifecycle_script: script };
    expect(machine.watch()).toBeDefined();
  });

  it.each([
    ["start", "afterword forward"],
    ["npx", "concurrently 'afterword forward' vite"],
    ["npx", "afterword-server"],
    [undefined, undefined],
  ])("is no other one: %s, %s", (event, script) => {
    const machine = new Machine();
    machine.env = { npm_lifecycle_event: event, npm_lifecycle_script: script };
    expect(machine.watch()).toBeUndefined();
  });
});
