import { listen } from "./page.ts";

/**
 * Lets digit and arrow keys choose a rating, until the signal aborts. Not every browser mirrors its own arrow keys in
 * right-to-left text.
 */
export function listenForRatingKeys(root: ShadowRoot, signal: AbortSignal): void {
  const readDigit = digitReader();
  const onEvent = (event: Event) => {
    const { key, keyCode, ctrlKey, metaKey, altKey, isComposing, timeStamp } = event as KeyboardEvent;
    const target = event.composedPath()[0] as HTMLInputElement;
    if (target.type !== "radio") return;
    // Keys of an input method, also in Safari; see `hide-from-page.ts`.
    if (ctrlKey || metaKey || altKey || isComposing || keyCode === 229) return;
    const radio = radioFor(root, key, target, readDigit(key, timeStamp));
    if (!radio) return;
    event.preventDefault();
    // The click chooses as the person's own would; the focus lets arrow keys continue from there.
    radio.focus();
    radio.click();
  };
  listen(root, ["keydown"], onEvent, signal);
}

/** The radio that a key selects. */
function radioFor(root: ShadowRoot, key: string, current: HTMLInputElement, digit: number | undefined) {
  const radios = [...root.querySelectorAll<HTMLInputElement>("[type=radio]")];
  const forward = current.closest("[dir=rtl]") ? /Down|Left/ : /Down|Right/;
  if (!key.startsWith("Arrow")) return radios.find(({ value }) => value === `${digit}`);
  return radios.at((radios.indexOf(current) + (forward.test(key) ? 1 : -1)) % radios.length);
}

/** A 0 within this time after a 1 makes it a 10. */
const tenWithinInMs = 500;

/** Returns a reader of typed ratings, where 1 and then 0 is 10. It returns `undefined` for any other key. */
export function digitReader(): (key: string, timeInMs: number) => number | undefined {
  let oneAtInMs = -Infinity;
  return (key, timeInMs) => {
    if (!/^\d$/.test(key)) return undefined;
    const isTen = key === "0" && timeInMs - oneAtInMs <= tenWithinInMs;
    oneAtInMs = key === "1" ? timeInMs : -Infinity;
    return isTen ? 10 : Number(key);
  };
}
