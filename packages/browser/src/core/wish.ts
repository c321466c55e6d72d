import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import type { AskRequest } from "./asking.ts";
import type { AskOptions, InstalledToken } from "./options.ts";
import type { Page } from "./page.ts";

/** A survey that the host page asked for; without a slug whatever asks by itself. */
export interface Wish extends Pick<AskRequest, "slot" | "isByPerson" | "mayTakeFocus"> {
  slug?: string;
  /** The run that it is about, with a token of its own. */
  run?: InstalledToken;
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

/** Tells why a survey that is wished for is not shown. */
export type Refuse = (
  reason: Parameters<AskRequest["refuse"]>[0],
  wish: Wish,
  survey?: SurveyDefinition,
) => void;

/** The surveys that are meant. The chunk that asks looks at each closely; here a reply may still hold anything. */
export const wanted = ({ slug }: Wish, definitions?: BootstrapReply) =>
  (definitions?.surveys ?? []).filter((survey) =>
    slug ? survey?.slug === slug : survey?.trigger === "auto",
  );
