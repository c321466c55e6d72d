import { type KeyObject } from "node:crypto";
import { type EraseMode } from "@afterword/protocol";
import { type Erasure, type Hooks } from "@afterword/reference-server";
import { keyedHash, timestamp } from "@afterword/reference-server/internal";
import { type StoreAdministration } from "../store/administration.ts";

/** One erasure as the log outside the database keeps it. Identifies no person without the project's pepper. */
export interface ErasureEntry {
  /** RFC 3339. */
  at: string;
  projectId: string;
  mode: EraseMode;
  /** Keyed hashes of the respondents; absent where the erasure was not about respondents. */
  respondents?: string[];
  surveyIds?: string[];
  /** The project's epoch after an account purge. */
  epoch?: number;
}

/** Remembers erasures, so that they can be applied again to an older backup. */
export interface ErasureLog {
  /** Resolves when the entry is on disk. */
  append(entry: ErasureEntry): Promise<void>;
}

/** Differs from the hash of suppression, so that the log cannot be matched with the database. */
export function erasureHash(pepper: KeyObject, respondentId: string): string {
  return keyedHash(pepper, `erasure/${respondentId}`).toString("base64url");
}

function erasureEntry({ project, mode, at, respondentIds, surveyIds }: Erasure): ErasureEntry {
  const { id: projectId, pepper, epoch } = project;
  return {
    at: timestamp(at),
    projectId,
    mode,
    ...(respondentIds && { respondents: respondentIds.map((id) => erasureHash(pepper, id)) }),
    ...(surveyIds && { surveyIds }),
    ...(mode === "account" && { epoch: epoch + 1 }),
  };
}

/** Hooks that write erasures to a log first, so that none happens that a restored backup would not know of. */
export const rememberedIn = (log: ErasureLog | undefined) =>
  ({ beforeErase: async (erasure) => log?.append(erasureEntry(erasure)) }) satisfies Hooks;

/** The hooks of erasures with disk space for what they write, which is often on the disk of the database. */
export function inRoom(room: StoreAdministration["room"], hooks: Hooks): Hooks {
  return {
    ...hooks,
    async beforeErase(erasure) {
      room?.take();
      try {
        await hooks.beforeErase?.(erasure);
      } catch (error) {
        room?.giveBack();
        throw error;
      }
    },
    async afterErase(erasure, reply) {
      try {
        await hooks.afterErase?.(erasure, reply);
      } finally {
        room?.giveBack();
      }
    },
  };
}
