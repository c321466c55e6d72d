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
