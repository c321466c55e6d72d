import { isRemoved } from "../core/asking/index.ts";
import type { SubmitResult, SurveyView, SurveyViewOptions } from "../core/public/index.ts";
import { afterVisibleDelay, withTimeout } from "../core/page/index.ts";
import { hideFromPage, listenInside } from "./hide-from-page.ts";
import { listen, pageOf, sheetOf, type Page } from "./page.ts";
import { listenForRatingKeys } from "./listen-for-rating-keys.ts";
import type { SpokenView } from "./scale.tsx";
import { surveyScreen, tryOrReport } from "./survey-screen.tsx";
import { inEnglish, type LoadedTexts, loadTexts } from "../texts/load-texts.ts";
import { keepOnTop } from "./keep-on-top.ts";
import { vanish } from "./play.ts";
import { reportShown } from "./report-shown.ts";
import css from "./survey.css?inline";

/** How long the closing message stays, unless the person points at it or focuses it. */
const farewellInMs = 5000;
/** How long "not sent yet" stays while retries may turn it into thanks. */
const retriesInMs = 30_000;
/** Screen readers skip a live region that speaks at once: it must be in the page beforehand. */
const announceAfterInMs = 150;

/** Draws one survey into the page once its texts have loaded. Loaded itself only when one is about to show. */
export function showSurvey(view: SurveyViewOptions, page: Page = window): SurveyView {
  const { document, navigator } = page;
  const { activeElement } = document;
  let drawn: ReturnType<typeof draw> | undefined;
  let isClosed = false;
  const close = (isSlow?: boolean) => {
    if (isClosed) return;
    isClosed = true;
    tryOrReport(view.reportError, () => drawn?.unmount(isSlow));
    view.closed();
  };
  const open = ({ language, texts }: LoadedTexts) => {
    if (isClosed || drawn) return;
    // The page removed the slot while the texts loaded.
    if (isRemoved(view)) return close();
    const given = Object.entries(view.texts ?? {}).filter(([, text]) => text !== undefined);
    const loaded = { language, texts: { ...texts, ...Object.fromEntries(given) } };
    // A person who moved on while the texts loaded keeps the focus.
    const openedByPerson = view.openedByPerson && document.activeElement === activeElement;
    const spoken = { ...view, ...loaded, openedByPerson, colorScheme: schemeOf(page, view) };
    tryOrReport(view.reportError, () => (drawn = draw(spoken, page, () => close(true))));
    if (!drawn) close();
  };
  const tag = `${view.language || document.documentElement.lang || navigator.language}`;
  const loaded = loadTexts(tag, view.loadWords);
  if ("then" in loaded) void withTimeout(page, loaded).then(open, () => open(inEnglish));
  else open(loaded);
  return { close: () => close(), send: () => drawn?.send() };
}

/** Mounts the widget. */
function draw(view: SpokenView, page: Page, close: () => void) {
  const { slot } = view;
  const host = hostElement(page);
  const root = host.shadowRoot!;
  let stop: (() => void) | undefined;
  // A person who returns to the page still sees the thanks.
  const later = (run: () => void, delayInMs: number) => {
    stop?.();
    stop = afterVisibleDelay(page, delayInMs, run);
  };
  let isPointedAt = false;
  // Focus on the card does not count: the widget moves it there when the pressed button disappears.
  const isHeld = () => (isPointedAt && host.matches(":hover")) || root.activeElement?.matches("button");
  const leave = (delayInMs: number) => later(() => (isHeld() ? leave(farewellInMs) : close()), delayInMs);
  const settle = (result: SubmitResult) => {
    if (slot) return;
    isPointedAt = false;
    // A touch leaves `:hover` set after the finger lifts.
    root.addEventListener("pointermove", (event) => {
      isPointedAt ||= (event as PointerEvent).pointerType !== "touch";
    });
    leave(result === "queued" ? retriesInMs : farewellInMs);
  };
  const leaving = new page.AbortController();
  const { signal } = leaving;
  const screen = surveyScreen(view, root, settle, close);
  const own = hideFromPage(page);
  // Only where the focus was since then.
  own.left = [];
  listenInside(root, own, screen.act, signal);
  listenForRatingKeys(root, signal);
  keepInSight(host, signal);
  screen.announce("");
  const onGone = () => {
    view.leave();
    close();
  };
  if (slot) {
    keepInSlot(host, slot, onGone, signal);
    view.shown();
  } else keepOnTop(host, view.shown, onGone, signal);
  const card = root.querySelector("section")!;
  reportShown(card, view, signal);
  if (view.openedByPerson) root.querySelector<HTMLElement>("input:checked, input")?.focus();
  else later(() => screen.announce((view.words?.() ?? view.survey).question), announceAfterInMs);
  return {
    /** Removes it, `isSlow` after it has closed before the person's eyes. */
    unmount(isSlow?: boolean) {
      stop?.();
      leaving.abort();
      if (root.activeElement) returnFocus(own.left);
      if (isSlow) vanish(card, host);
      else host.remove();
    },
    send: () => screen.act("send"),
  };
}

/** Keeps a view in the area that a phone's keyboard leaves visible, until the signal aborts. */
function keepInSight(host: HTMLElement, signal: AbortSignal) {
  const page = pageOf(host);
  const { visualViewport } = page;
  if (!visualViewport) return;
  const fit = () => {
    const { scale, offsetTop, height } = visualViewport;
    // Zooming in shrinks that area too; then the person wants a larger page and nothing else moved.
    const isWhole = scale > 1.01 || height === page.innerHeight;
    const inset = isWhole ? "" : `${offsetTop}px 0 calc(100% - ${offsetTop + height}px)`;
    host.style.setProperty("--afterword-in-sight", inset);
  };
  // The keyboard may already be open because the person types in the page.
  fit();
  listen(visualViewport, ["resize", "scroll"], fit, signal);
}

/**
 * Gives the focus to the element of this path, from the window inwards, that had it last, or to its nearest ancestor
 * still in the page, so that the focus never falls to the body.
 */
const returnFocus = (path: EventTarget[] = []): void =>
  void path.some((target) => giveFocus(target as HTMLElement));

function giveFocus(element: HTMLElement): boolean {
  if (!element.isConnected || !element.matches) return false;
  const hasTaken = () => {
    element.focus({ preventScroll: true });
    return element.matches(":focus");
  };
  if (hasTaken()) return true;
  if (element.hasAttribute("tabindex")) return false;
  element.tabIndex = -1;
  element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  return hasTaken();
}

const hostName = "afterword-view";
/** Adopted, because a strict content security policy refuses inline styles. */
const sheet = sheetOf(css);

function define({ customElements, HTMLElement }: Page) {
  class View extends HTMLElement {
    connectedCallback() {
      const page = pageOf(this);
      const root = this.shadowRoot;
      // A copy of its markup, as Turbo's cache puts back.
      if (!root) return this.remove();
      root.adoptedStyleSheets = [sheet(page)];
      hideFromPage(page);
    }
  }
  if (!customElements.get(hostName)) customElements.define(hostName, View);
}

/** Creates the widget's shadow host. Its styles live in the shadow root, out of the page's reach. */
function hostElement(page: Page): HTMLElement {
  define(page);
  const host = page.document.createElement(hostName);
  // Here too, so that an error ends the survey.
  host.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet(page)];
  return host;
}

/** The colour scheme of the theme; `auto` is that of the page, or the person's where the page declares none. */
function schemeOf(page: Page, { theme = "auto", slot }: SurveyViewOptions) {
  if (theme !== "auto") return theme;
  const { document } = page;
  const { colorScheme } = page.getComputedStyle(slot ?? document.documentElement);
  const isDeclared = colorScheme !== "normal" || document.querySelector("meta[name=color-scheme]");
  return isDeclared ? "inherit" : "light dark";
}

/** A slot with less room than this is too small to use: it counts as empty and grows. */
const leastRoomInPx = 96;

/** Fills an element of the page, and ends the ask if the page removes it, until the signal aborts. */
function keepInSlot(host: HTMLElement, slot: HTMLElement, onGone: () => void, signal: AbortSignal) {
  const reservedInPx = slot.offsetHeight;
  slot.append(host);
  keepWithin(host, host.offsetHeight + reservedInPx - slot.offsetHeight);
  // An observer does not see into shadow roots: each one around the slot is observed, and others once it was moved.
  const observe = () => {
    for (let within: Node | undefined = slot; within;) {
      const root: Node = within.getRootNode();
      observer.observe(root, { childList: true, subtree: true });
      within = (root as ShadowRoot).host;
    }
  };
  const observer = new (pageOf(host).MutationObserver)(() => (host.isConnected ? observe() : onGone()));
  observe();
  signal.addEventListener("abort", () => observer.disconnect());
  // The room that the page keeps for the question would be a hole around the thanks.
  const giveBack = () => slot.localName === "afterword-survey" && (slot.style.minHeight = "0");
  host.shadowRoot!.addEventListener("change", giveBack);
}

/** Scrolls within the reserved space, so that nothing shifts, and grows once the person has chosen. */
function keepWithin(host: HTMLElement, roomInPx: number) {
  if (roomInPx < leastRoomInPx || roomInPx >= host.offsetHeight) return;
  const root = host.shadowRoot!;
  const { style } = root.querySelector("section")!;
  style.maxHeight = `${roomInPx}px`;
  // Before the card draws what follows, so that its height then is its own.
  root.addEventListener("change", () => (style.maxHeight = ""), { once: true, capture: true });
}
