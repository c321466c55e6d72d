import { createVote } from "../src/core/rating/index.ts";
import type { SubmitResult } from "../src/core/public/index.ts";
import { type Afterword, defineThumbsElement } from "../src/thumbs.ts";

/** Puts thumbs into the slot and presses one: `up`, `down`, `up stored`, `up queued`, with reasons `down chosen`; `earlier` votes and `open` are as they are. */
export async function showThumbs(state: string, language: string): Promise<void> {
  const [vote, result] = state.split(" ");
  // What needs no result stays as it is for as long as one looks at it.
  const rated = /stored|queued/.test(result!)
    ? Promise.resolve(result as SubmitResult)
    : new Promise<never>(() => {});
  const rate: Afterword["rate"] = (_run, _answer, options) => {
    options?.suggest?.([]);
    options?.ready?.(createVote());
    return options?.ready ? Promise.resolve("refused") : rated;
  };
  defineThumbsElement(rate, { language });
  const thumbs = document.createElement("afterword-thumbs");
  const value = result === "earlier" ? { value: vote! } : {};
  const attributes = { "survey-id": "answer", "session-id": "run", "token": "st", ...value };
  for (const [name, of] of Object.entries(attributes)) thumbs.setAttribute(name, of);
  const root = thumbs.shadowRoot!;
  const drawn = (selector: string) =>
    new Promise<void>((resolve) =>
      new MutationObserver(() => root.querySelector(selector) && resolve()).observe(root, {
        childList: true,
        subtree: true,
      }),
    );
  const buttons = drawn("button");
  document.querySelector("#slot")!.append(thumbs);
  await buttons;
  root.querySelector<HTMLElement>(`[part=${vote}]`)?.click();
  if (vote !== "open" && result !== "earlier") await drawn(".outcome");
  if (result === "chosen")
    for (const reason of root.querySelectorAll<HTMLElement>("[part=reason]:nth-child(2n)")) reason.click();
}
