import type { BootstrapReply } from "@afterword/protocol";
import type { AskRequest } from "./asking.ts";
import type { AskOptions } from "./options.ts";
import type { Page } from "./page.ts";

/** A survey that the host page asked for; without a slug whatever asks by itself. */
export interface Wish extends Pick<AskRequest, "slot" | "isByPerson" | "mayTakeFocus"> {
  slug?: string;
}

export function wishOf(page: Page, { slot, openedByPerson }: AskOptions = {}, slug?: string): Wish {
  // What the person does while files and replies are on their way is theirs: then the focus stays with it.
  let isIdle = openedByPerson;
  const touch = () => (isIdle = false);
  for (const event of openedByPerson ? ["keydown", "pointerdown"] : []) {
    page.addEventListener(event, touch, { once: true, capture: true });
  }
  return { slug, slot, isByPerson: openedByPerson, mayTakeFocus: () => !!isIdle };
}

/** The surveys that are meant. The chunk that asks looks at each closely; here a reply may still hold anything. */
export const wanted = ({ slug }: Wish, definitions?: BootstrapReply) =>
  (definitions?.surveys ?? []).filter((survey) =>
    slug ? survey?.slug === slug : survey?.trigger === "auto",
  );
