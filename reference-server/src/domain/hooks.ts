import { type EraseMode, type EraseReply } from "@afterword/protocol";
import { type Project } from "./project-directory.ts";
import { type Selection } from "./selection.ts";

/** The request with a secret key that made an access; absent where a command did. */
export interface Requester {
  requestId: string;
  keyId: string;
}

/** The project of an access: its id, its epoch, and the key under which respondents are hashed. */
export type AccessedProject = Pick<Project, "id" | "epoch" | "pepper">;
export const accessedOf = ({ id, epoch, pepper }: Project): AccessedProject => ({ id, epoch, pepper });

/** An export, counted in the snapshot that it is read from. */
export interface ExportAccess extends Selection {
  project: AccessedProject;
  requester?: Requester;
  count: number;
}

/** An erasure. Its project is as it was before: an account purge destroys the key of its hashes. */
export interface Erasure extends Selection {
  project: AccessedProject;
  requester?: Requester;
  mode: EraseMode;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * Hooks run before an export and around an erasure, for example to write audit lines. Each is awaited inside the request,
 * and one that fails ends it: with 503 for a `StoreUnavailable`, which a hook may throw.
 */
export interface Hooks {
  /** Runs before anything is given out. */
  beforeExport?(access: ExportAccess): Promise<void>;
  /** Runs before anything is deleted. If it fails, nothing is. */
  beforeErase?(erasure: Erasure): Promise<void>;
  /** Runs once `beforeErase` has resolved and the erasure has ended: with its reply, or with `undefined` when it failed. */
  afterErase?(erasure: Erasure, reply: EraseReply | undefined): Promise<void>;
}
