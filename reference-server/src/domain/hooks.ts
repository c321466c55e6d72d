import { type EraseMode, type EraseQuery, type EraseReply, type ExportQuery } from "@afterword/protocol";
import { type Project } from "./project-directory.ts";
import { type Selection } from "./selection.ts";

/** The request with a secret key that made an access; absent where a command did. */
export interface Requester {
  requestId: string;
  keyId: string;
}

/** An export, counted in the snapshot that it is read from. */
export interface ExportAccess {
  project: Project;
  query: ExportQuery;
  requester?: Requester;
  count: number;
}

/** An erasure. Its project is as it was before: an account purge destroys the key of its hashes. */
export interface Erasure extends Selection {
  project: Project;
  query: EraseQuery;
  requester?: Requester;
  mode: EraseMode;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * What must be on disk before or after an access to what people answered. Each is awaited inside the request, and one that
 * fails ends it: with 503 for a `StoreUnavailable`, which a hook may throw.
 */
export interface Hooks {
  /** Runs before anything is given out. */
  beforeExport?(access: ExportAccess): Promise<void>;
  /** Runs before anything is deleted. If it fails, nothing is. */
  beforeErase?(erasure: Erasure): Promise<void>;
  /** Runs once `beforeErase` has resolved and the erasure has ended: with its reply, or with `undefined` when it failed. */
  afterErase?(erasure: Erasure, reply: EraseReply | undefined): Promise<void>;
}
