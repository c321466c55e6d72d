import { datadogRum } from "@datadog/browser-rum";
import { ZoneContextManager } from "@opentelemetry/context-zone";
import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch";
import { WebTracerProvider } from "@opentelemetry/sdk-trace-web";
import * as Sentry from "@sentry/browser";

// Tracers as their documentation sets them up for requests to other origins. Reports stay on the site.

const everywhere = /^http/;

export function openTelemetry() {
  new WebTracerProvider().register({ contextManager: new ZoneContextManager() });
  new FetchInstrumentation({ propagateTraceHeaderCorsUrls: [everywhere] }).enable();
}

export function sentry() {
  Sentry.init({
    dsn: "http://public@127.0.0.1/1",
    tunnel: "/tunnel",
    integrations: [Sentry.browserTracingIntegration()],
    tracesSampleRate: 1,
    tracePropagationTargets: [everywhere],
    propagateTraceparent: true,
  });
}

export function datadog() {
  datadogRum.init({
    applicationId: "00000000-0000-0000-0000-000000000000",
    clientToken: "pub00000000000000000000000000000000",
    proxy: "/intake",
    service: "shop",
    sessionSampleRate: 100,
    traceSampleRate: 100,
    allowedTracingUrls: [
      { match: everywhere, propagatorTypes: ["datadog", "tracecontext", "b3", "b3multi"] },
    ],
  });
}

/** Headers of agents that are loaded from their maker's host, and of proxies, set as those agents do. */
export function others() {
  const { fetch } = window;
  window.fetch = (target, init) => {
    const request = new Request(target, init);
    for (const name of [
      "newrelic",
      "X-NewRelic-ID",
      "elastic-apm-traceparent",
      "X-Amzn-Trace-Id",
      "Request-Id",
      "Request-Context",
      "uber-trace-id",
      "X-INSTANA-T",
      "x-dtc",
      "X-LogRocket-URL",
      "x_shop.trace",
    ])
      request.headers.set(name, "1");
    return fetch(request);
  };
}
