import { type Service } from "@afterword/reference-server/internal";
import { type ErasureLog } from "../audit/erasure-log.ts";
import { type OperatedStore } from "../store/administration.ts";
import { DeletionClock } from "./deletion-clock.ts";

/** The service with what operating it needs of its database. */
export interface OperatedService extends Service {
  readonly store: OperatedStore;
  readonly deletionClock: DeletionClock;
  /** Records the erasures of commands outside the database. Default: none. */
  readonly erasureLog?: ErasureLog;
}

export async function operatedService(service: Service, store: OperatedStore): Promise<OperatedService> {
  const deletionClock = await DeletionClock.open(store.administration, service.clock);
  return { ...service, store, deletionClock };
}
