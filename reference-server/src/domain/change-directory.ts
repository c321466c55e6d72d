import { type DirectoryChange, type MasterKeyRecord, type StoredProject } from "../store/project.ts";
import { type Service } from "./service.ts";

/** A change of the directory, and what the caller wants to know of it. */
type Decision<Result> = [change: DirectoryChange, result: Result];

/**
 * Changes the directory in one transaction and takes the change over here.
 * @param decide may be called more than once; the last decision counts
 */
export async function changeDirectory<Result>(
  { store, directory }: Pick<Service, "store" | "directory">,
  decide: (projects: StoredProject[], masterKeys: readonly MasterKeyRecord[]) => Decision<Result>,
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
