import { spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../free-port.ts";

/** PgBouncer refuses to run as root: it then runs as this user, who exists by number alone. */
const unprivilegedUser = 65534;

const program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].find((path) =>
  existsSync(path),
);

/** Whether PgBouncer is there; .ci/jobs/surroundings.sh installs it where it can. */
export const hasPgBouncer = program !== undefined;

export interface PgBouncerOptions {
  /** Default `transaction`. */
  mode?: "session" | "transaction" | "statement";
  /** Start-up parameters that it takes and ignores, as many are set up. Default: none, which is its own default. */
  ignored?: string;
  /** Connections to PostgreSQL. Default 4, far fewer than the clients that share them. */
  poolSize?: number;
}

async function untilItListens(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(25);
  }
  throw new Error("PgBouncer did not listen within five seconds");
}

/** A real PgBouncer in front of the databases of a PostgreSQL. */
export async function startPgBouncer(server: string, options: PgBouncerOptions = {}) {
  const { mode = "transaction", ignored, poolSize = 4 } = options;
  const { hostname, port: serverPort, username } = new URL(server);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "afterword-pgbouncer-"));
  const settings = join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${serverPort} user=${username}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    "max_client_conn = 500",
    ...(ignored === undefined ? [] : [`ignore_startup_parameters = ${ignored}`]),
  ];
  writeFileSync(settings, `${lines.join("\n")}\n`);
  const owner = process.getuid?.() === 0 ? { uid: unprivilegedUser, gid: unprivilegedUser } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  chmodSync(settings, 0o644);
  const child = spawn(program!, [settings], { ...owner, stdio: "ignore" });
  const ended = once(child, "exit");
  await untilItListens(port);
  return {
    /** The address of a database behind it. */
    through(database: string): string {
      const url = new URL(database);
      url.port = String(port);
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
