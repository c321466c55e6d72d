/** @jsxImportSource preact */
import type { JSX } from "preact";

/** An icon on a grid of 24 units, in the colour of the surrounding text; `over` is drawn above the first path. */
export function Icon({ path, over }: { path: string; over?: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
      {over && <path d={over} />}
    </svg>
  );
}

/**
 * Text that may change, in an element of its own. A translator such as Chrome's replaces text nodes, so other text gets a
 * new element instead of writing into a node that has left the page.
 */
export function Words({ text, part }: { text: string; part?: string }): JSX.Element {
  return (
    <span key={text} part={part}>
      {text}
    </span>
  );
}

/**
 * Attributes of a field that session replay tools know: they record nothing that is typed into it, however they are set
 * up. In this order: rrweb and Mixpanel, Sentry, PostHog, FullStory, Amplitude; Datadog, Hotjar, LogRocket, Clarity,
 * Contentsquare. Each has its strongest name alone: what is blocked needs no mask.
 */
export const unrecorded = {
  "class": "rr-block sentry-block ph-no-capture fs-exclude amp-block",
  "data-dd-privacy": "mask",
  "data-hj-suppress": "",
  "data-private": "",
  "data-clarity-mask": "true",
  "data-cs-mask": "",
};
