import { render } from "preact";
import type { SurveyView, SurveyViewOptions } from "../core/survey-view.ts";
import { rememberFocus } from "./focus-return.ts";
import { guard } from "./guard.ts";
import { hostElement } from "./host-element.ts";
import { keepInSlot } from "./slot.ts";
import { SurveyScreen } from "./survey-screen.tsx";
import { type LoadedTexts, loadTexts } from "./texts/load-texts.ts";
import { keepOnTop, type Page } from "./top-layer.ts";

/** How long the last word stays while nobody points at it and the focus is elsewhere. */
const farewellMs = 5000;
/** A live region that speaks at once is not heard: it must have been in the page before. */
const announceAfterMs = 150;
const announceForMs = 4000;

/** Draws one survey into the page, once its words are there. */
export function mount(view: SurveyViewOptions, page: Page): SurveyView {
  let unmount: (() => void) | undefined;
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    guard(view.reportError, () => unmount?.());
    view.closed();
  };
  const open = (loaded: LoadedTexts) => {
    if (isClosed) return;
    guard(view.reportError, () => (unmount = draw(view, loaded, page, close)));
    if (!unmount) close();
  };
  const { document, navigator } = page;
  const loaded = loadTexts(view.language || document.documentElement.lang || navigator.language);
  if ("then" in loaded) void loaded.then(open);
  else open(loaded);
  return { close };
}

/** Puts the widget into the page and wires it; the answer takes it out again. */
function draw(view: SurveyViewOptions, loaded: LoadedTexts, page: Page, close: () => void): () => void {
  const { survey, place, openedByPerson } = view;
  const host = hostElement(view, page);
  const root = host.shadowRoot!;
  const timers: number[] = [];
  const later = (run: () => void, delayInMs: number) => timers.push(page.setTimeout(run, delayInMs));
  const leaveUnlessUsed = () => {
    if (host.matches(":hover, :focus-within")) later(leaveUnlessUsed, farewellMs);
    else close();
  };
  const screen = new SurveyScreen({
    view,
    loaded,
    root,
    onClosed: close,
    onSettled: () => place.slot ?? later(leaveUnlessUsed, farewellMs),
  });
  const returnFocus = rememberFocus(host, page.document);
  isolateKeys(root, page, screen);
  screen.draw();
  const release = place.slot
    ? keepInSlot(host, place.slot, page, () => screen.abandon())
    : keepOnTop(host, page);
  if (openedByPerson) root.querySelector<HTMLElement>("input:checked, input")?.focus();
  else {
    later(() => screen.announce(survey.question), announceAfterMs);
    later(() => screen.announce(""), announceAfterMs + announceForMs);
  }
  return () => {
    timers.forEach(page.clearTimeout);
    release();
    returnFocus(!!root.activeElement);
    host.remove();
    render(null, root);
  };
}

/** Keys pressed inside are none of the page's business, and Escape closes only from inside. */
function isolateKeys(root: ShadowRoot, page: Page, screen: SurveyScreen) {
  const stop = (event: Event) => event.stopImmediatePropagation();
  root.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, isComposing } = event as KeyboardEvent;
    // The key may close the widget and then comes up in the page.
    page.addEventListener("keyup", stop, { capture: true, once: true });
    if (isComposing) return;
    if (key === "Escape") {
      // Else a modal dialog of the page around the widget would close too.
      event.preventDefault();
      screen.send({ type: "close" });
    } else if (key === "Enter" && (ctrlKey || metaKey)) screen.send({ type: "send" });
  });
  // A focus trap of the page would pull the focus out again, a handler of the page would take the pasted text.
  for (const type of ["keydown", "keypress", "keyup", "focusin", "paste"]) root.addEventListener(type, stop);
}
