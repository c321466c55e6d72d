import { type KeyUses, type Task, timestamp } from "@afterword/reference-server/internal";
import { type ServerEvents } from "../audit/audit-trail.ts";
import { lastUseOf } from "../store/key-uses.ts";
import { type OperatedService } from "../administration/operated-service.ts";

/** Notes from requests when keys were last used. Its task records that in the database, for `key list`, and in the log. */
export function keyUseRecorder(now: () => number) {
  let noted = new Map<string, KeyUses>();
  const listener: ServerEvents = {
    emit(event) {
      if (event.kind !== "request" || !event.use || !event.keyId) return;
      noted.set(event.keyId, { ...noted.get(event.keyId), [event.use]: now() });
    },
  };
  const task = ({ store }: OperatedService, events: ServerEvents): Task => ({
    everyInMs: 60_000,
    runsAtEnd: true,
    async run() {
      const uses = noted;
      if (uses.size === 0) return;
      noted = new Map();
      await store.administration.recordKeyUse(uses);
      for (const [keyId, used] of uses)
        events.emit({ kind: "key-use", keyId, lastUsedAt: timestamp(lastUseOf(used)!) });
    },
  });
  return { listener, task };
}
