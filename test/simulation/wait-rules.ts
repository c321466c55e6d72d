import type { Handled, Sent } from "./network.ts";
import { assertRule } from "./rule-broken.ts";

/** The longest that clients of a server wait as they are told. */
const longestInMs = 60_000;

/** Clocks show whole milliseconds. */
const clockStepInMs = 1;

/** Holds clients to the `Retry-After` that has reached them: nothing of the same kind is sent before. */
export class WaitRules {
  readonly #now: () => number;
  /** Pages that may keep nothing send what they have when they are left. */
  readonly exempt = new Set<string>();
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  #keyOf({ from, method, url, text }: Sent): string {
    const about = from.name.startsWith("forwarder") ? "" : text;
    return `${from.name} ${method} ${url.host}${url.pathname} ${about}`;
  }

  sent(sent: Sent): void {
    if (this.exempt.has(sent.from.name) || sent.from.name.startsWith("raw")) return;
    // A single run that the service's replies have ended gives its lease back at once: others need not wait for it.
    if (sent.url.searchParams.get("lease") === "0") return;
    const until = this.#until.get(this.#keyOf(sent)) ?? 0;
    assertRule(this.#now() + clockStepInMs >= until, "a client waits as long as Retry-After says", () => {
      const { from, method, url } = sent;
      return `${from.name} sent ${method} ${url.pathname} ${Math.ceil(until - this.#now())} ms early`;
    });
  }

  arrived(handled: Handled): void {
    const { status, replyHeaders } = handled;
    if (status !== 429 && status !== 503) return;
    const seconds = Number(replyHeaders?.get("retry-after"));
    if (seconds > 0)
      this.#until.set(this.#keyOf(handled), this.#now() + Math.min(seconds * 1000, longestInMs));
  }
}
