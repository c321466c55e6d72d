import { type AuditTrail } from "../audit/audit-trail.ts";
import { type ServerConfig } from "../config/server-config.ts";
import { type Clock } from "../domain/clock.ts";
import { type ServerEvents } from "../log/events.ts";
import { type Application } from "./create-app.ts";
import { type ConnectionTimeouts } from "./listen.ts";

export interface AdminAddress {
  /** Default `127.0.0.1`, so that only this machine can read metrics. */
  host?: string;
  /** 0 picks a free port. */
  port: number;
}

/** How long data is kept, in days; 0 keeps it for ever. */
export interface RetentionPolicy {
  /** Responses and dismissals as a whole, and the counts of runs. Default 730. */
  responseRetentionDays: number;
  /** Texts; the rating stays. Default 365. */
  textRetentionDays: number;
  /** Texts of answers whose score the sink has refused for good; the rating stays. Default 30. */
  failedTextRetentionDays: number;
  /**
   * Which runs a person has rated, of surveys that are asked once in each run; such a run can then be asked about again.
   * Never forgotten before the tokens of the run have expired. Default 400.
   */
  runRetentionDays?: number;
}

export interface StartOptions {
  /** Default: none, for a database that already has projects. */
  config?: ServerConfig | undefined;
  /** A path, a `postgres://` URL, or `:memory:` (the default) for a database that ends with the server. */
  database?: string | undefined;
  /** Default `127.0.0.1`. */
  host?: string | undefined;
  /** Default 0: a free port. */
  port?: number | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
  /** 32 bytes in hex or base64. Default: a key file beside the database, created at the first start. */
  masterKey?: string | undefined;
  /** A file with the master key. */
  keyFile?: string | undefined;
  /** Receives events for logging and metrics. Default: none. */
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
  /** Time limits for sending and reading. Default: 10 seconds for the headers, 30 for a request, 75 for an idle connection. */
  timeouts?: ConnectionTimeouts | undefined;
  /** How long `close` keeps accepting connections while `/readyz` answers 503. Default 0 ms. */
  drainDelayInMs?: number | undefined;
}

/** A running server. `await using server = await startServer({ config })` closes it at the end of the block. */
export interface RunningServer extends AsyncDisposable, Pick<Application, "projects" | "seed"> {
  /** Without a trailing slash, for example `http://127.0.0.1:39211`. */
  url: string;
  /** The address of the admin listener, if there is one. */
  adminUrl?: string;
  /**
   * Answers the requests in flight, then stops. Resolves within 10 seconds after the drain delay, even if the database
   * is still busy.
   */
  close(): Promise<void>;
}
