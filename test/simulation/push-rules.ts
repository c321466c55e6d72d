import type { Handled, Sent } from "./network.ts";
import { assertRule } from "./rule-broken.ts";

/** Holds each forwarder to what it knows: a score that the sink has taken from it is pushed no more. */
export class PushRules {
  readonly #taken = new Map<string, Set<string>>();

  sent({ from, text }: Sent): void {
    const taken = this.#taken.get(from.name);
    for (const id of taken ? idsIn(text) : [])
      assertRule(
        !taken!.has(id),
        "a forwarder pushes no score that it has delivered",
        () => `${from.name} ${id}`,
      );
  }

  arrived({ from, text, status }: Handled): void {
    if (status !== 200) return;
    const taken = this.#taken.get(from.name) ?? new Set();
    for (const id of idsIn(text)) this.#taken.set(from.name, taken.add(id));
  }
}

/** Of the scores of a push. */
function idsIn(text: string): string[] {
  if (!text.includes('"scores":[')) return [];
  return (JSON.parse(text) as { scores: { id: string }[] }).scores.map(({ id }) => id);
}
