import * as datadog from "@datadog/browser-rum";
import * as sentryBrowser from "@sentry/browser";

/** Records whatever it can, as far as an element does not forbid it. */
export function sentry() {
  sentryBrowser.init({
    dsn: `${location.origin.replace("//", "//key@")}/1`,
    replaysSessionSampleRate: 1,
    integrations: [
      sentryBrowser.replayIntegration({
        maskAllText: false,
        maskAllInputs: false,
        blockAllMedia: false,
        useCompression: false,
        minReplayDuration: 0,
        flushMinDelay: 100,
        flushMaxDelay: 200,
      } as object),
    ],
  });
}

export function datadogRum() {
  datadog.datadogRum.init({
    applicationId: "app",
    clientToken: "pub0123456789",
    proxy: `${location.origin}/datadog`,
    sessionSampleRate: 100,
    sessionReplaySampleRate: 100,
    startSessionReplayRecordingManually: false,
    trackUserInteractions: true,
    defaultPrivacyLevel: "allow",
  });
}
