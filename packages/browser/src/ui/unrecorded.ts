/**
 * Attributes of a field that session replay tools know: they record nothing that is typed into it, however they are set
 * up. In this order: rrweb, Sentry, PostHog, FullStory, Amplitude, Mixpanel, New Relic; Datadog, Hotjar, LogRocket, Clarity,
 * Contentsquare, OpenReplay, Matomo.
 */
export const unrecorded = {
  "class":
    "rr-mask rr-ignore rr-block sentry-mask sentry-ignore sentry-block ph-no-capture fs-mask fs-exclude amp-mask amp-block mp-mask mp-block nr-mask nr-block",
  "data-dd-privacy": "mask",
  "data-hj-suppress": "",
  "data-private": "",
  "data-clarity-mask": "true",
  "data-cs-mask": "",
  "data-openreplay-obscured": "",
  "data-matomo-mask": "",
};
