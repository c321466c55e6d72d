/** The parts of Node's `process` that are read. */
export interface WatchedProcess {
  /** The parent at this moment. */
  readonly ppid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads a file of `/proc`; throws when it is missing. */
export type ReadFile = (path: string) => string;

/** Whether npx has started this program itself, with `npx NAME` or `npx -c "NAME …"`, rather than one that started it. */
function isStartedByNpx(name: string, { env }: WatchedProcess): boolean {
  const [first = ""] = (env["npm_lifecycle_script"] ?? "").trim().split(/\s/);
  return env["npm_lifecycle_event"] === "npx" && first.replaceAll(/["']/g, "") === name;
}

/** The parent of a process; `undefined` when it has ended, or where there is no `/proc`. */
function parentOf(pid: number, readFile: ReadFile): number | undefined {
  try {
    // proc(5): "pid (name) state ppid …", and the name may contain anything.
    return Number(readFile(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ")[1]);
  } catch {
    return undefined;
  }
}

/** Whether a process is a shell that runs one command, as npx starts it. */
function isShell(pid: number, readFile: ReadFile): boolean {
  try {
    return readFile(`/proc/${pid}/cmdline`).split("\0")[1] === "-c";
  } catch {
    return false;
  }
}

/**
 * Watches the npx that has started a program. npx ends on SIGTERM and ends the shell between the two, and neither passes the
 * signal on, so that the program would go on alone and its restart would be a second one. Some shells give their
 * process to the program; then npx is its parent.
 * @param name of the program's command
 * @returns whether npx, or the shell between, has ended; `undefined` when npx has not started the program. A killed npx
 * is noticed on Linux alone
 */
export function npxWatch(
  name: string,
  watched: WatchedProcess,
  readFile: ReadFile,
): (() => boolean) | undefined {
  if (!isStartedByNpx(name, watched)) return undefined;
  const parent = watched.ppid;
  const npx = isShell(parent, readFile) ? parentOf(parent, readFile) : undefined;
  return () => watched.ppid !== parent || (npx !== undefined && parentOf(parent, readFile) !== npx);
}
