import type { Handled, Sent } from "./network.ts";
import { assertRule } from "./rule-broken.ts";

/** Holds each forwarder to what it knows: a score that a sink has taken from it is pushed there no more. */
export class PushRules {
  readonly #taken = new Map<string, Set<string>>();

  sent({ from, text, url }: Sent): void {
    const taken = this.#taken.get(`${from.name} ${url.host}`);
    for (const id of taken ? idsIn(text) : [])
      assertRule(
        !taken!.has(id),
        "a forwarder pushes no score that it has delivered",
        () => `${from.name} ${id}`,
      );
  }

  arrived({ from, text, url, status }: Handled): void {
    if (status !== 200) return;
    const key = `${from.name} ${url.host}`;
    const taken = this.#taken.get(key) ?? new Set();
    for (const id of idsIn(text)) this.#taken.set(key, taken.add(id));
  }
}

/** Of the scores of a push. */
function idsIn(text: string): string[] {
  if (!text.includes('"scores":[')) return [];
  return (JSON.parse(text) as { scores: { id: string }[] }).scores.map(({ id }) => id);
}
