import type { RunningServer as CoreServer, StartOptions as CoreOptions } from "@afterword/reference-server";
import { type AuditTrail, type ServerEvents } from "../audit/audit-trail.ts";
import { type RetentionPolicy } from "../administration/retention.ts";

/** Where the admin listener listens. */
export interface AdminAddress {
  /** Default `127.0.0.1`, so that only this machine can read metrics. */
  host?: string;
  /** 0 picks a free port. */
  port: number;
}

/** Options of `@afterword/reference-server`, whose `database` may be a `postgres://` URL here, and more. */
export interface StartOptions extends Omit<CoreOptions, "events"> {
  /** Receives events for logging and metrics, and audit lines. Default: none. */
  events?: ServerEvents | undefined;
  /** Whether a SQLite file may be on NFS or SMB, where it can be corrupted. Default: `refuse`. */
  networkDisk?: "refuse" | "allow";
  /** A separate listener for `/metrics`, `/healthz` and `/readyz`. Default: none. */
  admin?: AdminAddress | undefined;
  /** A file that records erasures, so that `restore` can repeat them on a backup. Default: none. */
  erasureLog?: string | undefined;
  /** A file for audit lines, which the events get too. Default: none. */
  auditFile?: string | undefined;
  /** Keeps audit lines in place of a file. Default: none. */
  auditTrail?: AuditTrail | undefined;
  /** Deletes old data each night. Default: keeps everything; `serve` keeps 730 days, 365 for texts, 30 for those of failed scores. */
  retention?: RetentionPolicy | undefined;
  /** How long `close` keeps accepting connections while `/readyz` answers 503. Default 0 ms. */
  drainDelayInMs?: number | undefined;
}

/** A running server. `await using server = await startServer({ config })` closes it at the end of the block. */
export interface RunningServer extends CoreServer {
  /** The address of the admin listener, if there is one. */
  adminUrl?: string;
}
