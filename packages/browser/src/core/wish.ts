import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import type { AskRequest } from "./asking.ts";
import type { AskOptions, InstalledToken } from "./options.ts";
import type { Page } from "./page.ts";

/** A survey that the host page requested; without a slug, any that asks by itself. */
export interface Wish extends Pick<AskRequest, "slot" | "isByPerson" | "mayTakeFocus"> {
  slug?: string;
  /** Its run, with a token of its own. */
  run?: InstalledToken;
  /** Of its run, for several surveys. */
  tokens?: AskOptions["tokens"];
}

export function wishOf(page: Page, { slot, openedByPerson }: AskOptions = {}, slug?: string): Wish {
  // If the person acts while files and replies load, the focus stays with them.
  let isIdle = openedByPerson;
  const touch = () => (isIdle = false);
  for (const event of openedByPerson ? ["keydown", "pointerdown"] : []) {
    page.addEventListener(event, touch, { once: true, capture: true });
  }
  return { slug, slot, isByPerson: openedByPerson, mayTakeFocus: () => !!isIdle };
}

/** Reports why a requested survey is not shown. */
export type Refuse = (
  reason: Parameters<AskRequest["refuse"]>[0],
  wish: Wish,
  survey?: SurveyDefinition,
) => void;

/** The requested surveys. The chunk that asks validates each; here a reply may still contain anything. */
export const wanted = ({ slug }: Wish, definitions?: BootstrapReply) =>
  (definitions?.surveys ?? []).filter((survey) =>
    slug ? survey?.slug === slug : survey?.trigger === "auto",
  );
