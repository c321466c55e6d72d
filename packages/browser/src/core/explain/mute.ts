import { durationInMs } from "@afterword/protocol/duration";
import type { Emitter } from "../public/index.ts";
import type { Page, Store } from "../page/index.ts";

const beginning = "muted";
const settled = "until=";

/**
 * Turns the argument of `mute` into the end of the mute, stores it and emits `muted`. The newest call wins. Reports an
 * invalid duration, which changes nothing.
 */
export function mute(context: Emitter & { page: Page; store: Store; muted?: unknown }): void {
  const { page, store, emit, report, errorOf } = context;
  const now = page.Date.now();
  const kept: number[] = [];
  const fresh: number[] = [];
  const names = store.names(beginning);
  // Withdrawing consent deleted the stored value; the mute still applies to this page.
  if (!names[0]) return;
  for (const name of names) {
    store.forget(name);
    const text = name.slice(beginning.length);
    const lengthInMs = text === "forever" ? Infinity : durationInMs(text);
    if (text.startsWith(settled)) kept.push(Number(text.slice(settled.length)));
    else if (lengthInMs) fresh.push(now + lengthInMs);
    else report(errorOf('mute takes "forever" or a whole number with s, m, h or d, such as "90d"'));
  }
  const until = Math.max(...(fresh[0] ? fresh : kept));
  context.muted = until > now;
  // Written again, so that consent moves it from memory to the device.
  if (context.muted) store.write(beginning + settled + until, "1");
  if (fresh[0]) emit("muted", { until: until < Infinity ? until : undefined });
}
