import { type Service } from "@afterword/reference-server/internal";
import { type OperatedStore } from "../store/administration.ts";
import { DeletionClock } from "./deletion-clock.ts";

/** The service with what operating it needs of its database. */
export interface OperatedService extends Service {
  readonly store: OperatedStore;
  readonly deletionClock: DeletionClock;
}

export async function operatedService(service: Service, store: OperatedStore): Promise<OperatedService> {
  const deletionClock = await DeletionClock.open(store.administration, service.clock);
  return { ...service, store, deletionClock };
}
