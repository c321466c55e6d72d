import {
  type DirectoryChange,
  type MasterKeyRecord,
  type Service,
  type StoredProject,
} from "@afterword/reference-server/internal";
import { type ErasureLog } from "../audit/erasure-log.ts";
import { type OperatedStore } from "../store/administration.ts";
import { type DeletionClock, deletionClockOf } from "./deletion-clock.ts";

/** The service with what operating it needs of its database. */
export interface OperatedService extends Service {
  readonly store: OperatedStore;
  readonly deletionClock: DeletionClock;
  /** Records the erasures of commands outside the database. Default: none. */
  readonly erasureLog?: ErasureLog;
}

export function operatedService(service: Service, store: OperatedStore): OperatedService {
  return { ...service, store, deletionClock: deletionClockOf(store.administration, service.clock) };
}

/**
 * Changes the directory in one transaction and takes the change over here.
 * @param decide returns the change, and what the caller wants to know of it. May be called more than once; the last
 * decision counts
 */
export async function changeDirectory<Result>(
  { store, directory }: Pick<Service, "store" | "directory">,
  decide: (projects: StoredProject[], masterKeys: readonly MasterKeyRecord[]) => [DirectoryChange, Result],
): Promise<Result> {
  let result: Result;
  await store.changeDirectory((projects, masterKeys) => {
    const [change, decided] = decide(projects, masterKeys);
    result = decided;
    return change;
  });
  await directory.refresh();
  return result!;
}
