import type { Sink } from "../scores/sink.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { braintrust } from "../sinks/braintrust.ts";
import { datadog } from "../sinks/datadog.ts";
import { fanOut } from "../sinks/fan-out.ts";
import { jsonl } from "../sinks/jsonl.ts";
import { langfuse } from "../sinks/langfuse.ts";
import { langsmith } from "../sinks/langsmith.ts";
import { mlflow } from "../sinks/mlflow.ts";
import { opik } from "../sinks/opik.ts";
import { otlp } from "../sinks/otlp.ts";
import { phoenix } from "../sinks/phoenix.ts";
import { webhook } from "../sinks/webhook.ts";
import { madeAtOnce } from "./settings.ts";
import type { Shell } from "./shell.ts";

/** The flags that configure sinks. All other settings of sinks are variables. */
export interface SinkFlags {
  out?: string;
}

/** Reads the variables of a sink. */
interface Variables {
  /** One of `SinkChoice.required`. */
  required(name: string): string;
  optional(name: string): string | undefined;
  list(name: string): string[] | undefined;
}

interface SinkChoice {
  /** Required variables. */
  required?: readonly string[];
  /** Optional variables. */
  optional?: readonly string[];
  make(variables: Variables, flags: SinkFlags): Sink;
}

/** Every sink that the program knows, by its name. */
export const sinkChoices: Readonly<Record<string, SinkChoice>> = {
  jsonl: {
    make(_variables, { out }) {
      if (out === undefined) throw new ConfigurationError("The jsonl sink needs --out FILE.");
      return jsonl({ path: out });
    },
  },
  langfuse: {
    required: ["LANGFUSE_PUBLIC_KEY"],
    optional: ["LANGFUSE_SECRET_KEY", "LANGFUSE_BASE_URL", "LANGFUSE_ENVIRONMENT"],
    make: ({ required, optional }) =>
      langfuse({
        publicKey: required("LANGFUSE_PUBLIC_KEY"),
        secretKey: optional("LANGFUSE_SECRET_KEY"),
        baseUrl: optional("LANGFUSE_BASE_URL"),
        environment: optional("LANGFUSE_ENVIRONMENT"),
      }),
  },
  phoenix: {
    optional: ["PHOENIX_BASE_URL", "PHOENIX_API_KEY", "PHOENIX_PROJECTS"],
    make: ({ optional, list }) =>
      phoenix({
        baseUrl: optional("PHOENIX_BASE_URL"),
        apiKey: optional("PHOENIX_API_KEY"),
        projects: list("PHOENIX_PROJECTS"),
      }),
  },
  datadog: {
    required: ["DD_API_KEY", "DD_LLMOBS_ML_APP"],
    optional: ["DD_SITE"],
    make: ({ required, optional }) =>
      datadog({
        apiKey: required("DD_API_KEY"),
        mlApp: required("DD_LLMOBS_ML_APP"),
        site: optional("DD_SITE"),
      }),
  },
  opik: {
    optional: ["OPIK_URL_OVERRIDE", "OPIK_API_KEY", "OPIK_WORKSPACE", "OPIK_PROJECT_NAME"],
    make: ({ optional }) =>
      opik({
        baseUrl: optional("OPIK_URL_OVERRIDE"),
        apiKey: optional("OPIK_API_KEY"),
        workspace: optional("OPIK_WORKSPACE"),
        projectName: optional("OPIK_PROJECT_NAME"),
      }),
  },
  mlflow: {
    optional: [
      "MLFLOW_TRACKING_URI",
      "MLFLOW_TRACKING_TOKEN",
      "MLFLOW_TRACKING_USERNAME",
      "MLFLOW_TRACKING_PASSWORD",
      "MLFLOW_EXPERIMENT_IDS",
    ],
    make: ({ optional, list }) =>
      mlflow({
        baseUrl: optional("MLFLOW_TRACKING_URI"),
        token: optional("MLFLOW_TRACKING_TOKEN") ?? optional("MLFLOW_TRACKING_PASSWORD"),
        username: optional("MLFLOW_TRACKING_USERNAME"),
        experimentIds: list("MLFLOW_EXPERIMENT_IDS"),
      }),
  },
  langsmith: {
    required: ["LANGSMITH_API_KEY", "LANGSMITH_PROJECT_ID"],
    optional: ["LANGSMITH_ENDPOINT"],
    make: ({ required, optional }) =>
      langsmith({
        apiKey: required("LANGSMITH_API_KEY"),
        projectId: required("LANGSMITH_PROJECT_ID"),
        baseUrl: optional("LANGSMITH_ENDPOINT"),
      }),
  },
  braintrust: {
    required: ["BRAINTRUST_API_KEY", "BRAINTRUST_PROJECT_ID"],
    optional: ["BRAINTRUST_API_URL"],
    make: ({ required, optional }) =>
      braintrust({
        apiKey: required("BRAINTRUST_API_KEY"),
        projectId: required("BRAINTRUST_PROJECT_ID"),
        baseUrl: optional("BRAINTRUST_API_URL"),
      }),
  },
  otlp: {
    optional: ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME"],
    make: ({ optional, list }) =>
      otlp({
        baseUrl: optional("OTEL_EXPORTER_OTLP_ENDPOINT"),
        headers: headersOf(list("OTEL_EXPORTER_OTLP_HEADERS") ?? []),
        serviceName: optional("OTEL_SERVICE_NAME"),
      }),
  },
  webhook: {
    required: ["AFTERWORD_WEBHOOK_URL", "AFTERWORD_WEBHOOK_SECRET"],
    optional: ["AFTERWORD_WEBHOOK_ALLOW_PRIVATE"],
    make: ({ required, optional, list }) =>
      webhook({
        url: required("AFTERWORD_WEBHOOK_URL"),
        secret: list("AFTERWORD_WEBHOOK_SECRET") ?? [],
        allowPrivateAddresses: optional("AFTERWORD_WEBHOOK_ALLOW_PRIVATE") === "true",
      }),
  },
};

/** `name=value` pairs, the values percent-encoded, as OpenTelemetry's variable has them. */
function headersOf(pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair) => {
    const equals = pair.indexOf("=");
    return [pair.slice(0, equals).trim(), decoded(pair.slice(equals + 1).trim())] as const;
  });
  return Object.fromEntries(entries.filter(([name]) => name !== ""));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new ConfigurationError("The values of OTEL_EXPORTER_OTLP_HEADERS must be percent-encoded.");
  }
}

/**
 * One sink, or a `fanOut` of several, each passed through `watch`. Throws one `ConfigurationError` that names everything
 * missing.
 */
export function makeSinks(
  names: readonly string[],
  flags: SinkFlags,
  shell: Shell,
  watch = (sink: Sink) => sink,
): Sink {
  const sinks = madeAtOnce(names.map((name) => () => watch(makeSink(name, flags, shell))));
  return sinks.length === 1 ? sinks[0]! : fanOut(sinks);
}

/** Creates the sink of this name. Throws a `ConfigurationError` that names everything missing. */
export function makeSink(name: string, flags: SinkFlags, { environment }: Shell): Sink {
  const choice = Object.hasOwn(sinkChoices, name) ? sinkChoices[name] : undefined;
  if (!choice) {
    const known = Object.keys(sinkChoices).join(", ");
    throw new ConfigurationError(`There is no sink "${name}"; choose one of ${known}.`);
  }
  const missing = (choice.required ?? []).filter((variable) => !environment[variable]);
  if (missing.length > 0) {
    const variables = missing.length === 1 ? "variable" : "variables";
    throw new ConfigurationError(`The sink ${name} needs the ${variables} ${missing.join(" and ")}.`);
  }
  const optional = (variable: string) => environment[variable] || undefined;
  const list = (variable: string) =>
    optional(variable)
      ?.split(",")
      .map((entry) => entry.trim())
      .filter(Boolean);
  return choice.make({ required: (variable) => environment[variable]!, optional, list }, flags);
}
