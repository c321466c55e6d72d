import type { Context } from "../context/index.ts";

// The service suppresses surveys; this covers answers that it has not seen, or knows under another id of the person.
const mostRemembered = 96;

/** Remembers that the person was asked, under a name from `askedName`. */
export function rememberAsked({ store, page }: Pick<Context, "store" | "page">, asked: string) {
  const ageOf = (name: string) => Number(store.read(name)?.replace("queued ", "")) || 0;
  const oldestFirst = store.names("asked:").sort((one, other) => ageOf(one) - ageOf(other));
  oldestFirst.slice(0, -mostRemembered).forEach(store.forget);
  store.write(asked, `queued ${page.Date.now()}`);
}
