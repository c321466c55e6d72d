import type { Sink } from "../scores/sink.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { braintrust } from "../sinks/braintrust.ts";
import { datadog } from "../sinks/datadog.ts";
import { jsonl } from "../sinks/jsonl.ts";
import { langfuse } from "../sinks/langfuse.ts";
import { langsmith } from "../sinks/langsmith.ts";
import { mlflow, type MlflowOptions } from "../sinks/mlflow.ts";
import { opik } from "../sinks/opik.ts";
import { otlp } from "../sinks/otlp.ts";
import { phoenix } from "../sinks/phoenix.ts";
import { webhook } from "../sinks/webhook.ts";
import type { Shell } from "./shell.ts";

/** The variable of an option: its name, or more where the option is required or is not the variable's text. */
type Variable<Value> = string | { name: string; isRequired?: true; read?: (text: string) => Value };

const required = (name: string): { name: string; isRequired: true } => ({ name, isRequired: true });

interface SinkChoice {
  variables: readonly { name: string; isRequired?: true }[];
  make(environment: Shell["environment"], out: string | undefined): Sink;
}

/** A sink that takes all its options from variables. */
function fromVariables<Options>(
  make: (options: Options) => Sink,
  variables: { [Option in keyof Options]?: Variable<Options[Option]> },
): SinkChoice {
  const all = Object.entries(variables as Record<string, Variable<unknown>>).map(([option, variable]) => ({
    option,
    ...(typeof variable === "string" ? { name: variable } : variable),
  }));
  return {
    variables: all,
    make(environment) {
      const options = all.map(({ option, name, read = String }) => {
        const text = environment[name];
        return [option, text ? read(text) : undefined];
      });
      return make(Object.fromEntries(options) as Options);
    },
  };
}

const list = (text: string) => text.split(",").flatMap((one) => one.trim() || []);

interface MlflowWithPassword extends MlflowOptions {
  /** Password of Basic authentication, where no token is set. */
  password?: string;
}

/** Every sink that the program knows, by its name. */
export const sinkChoices: Readonly<Record<string, SinkChoice>> = {
  jsonl: {
    variables: [],
    make(_environment, out) {
      if (out === undefined) throw new ConfigurationError("The jsonl sink needs --out FILE.");
      return jsonl({ path: out });
    },
  },
  langfuse: fromVariables(langfuse, {
    publicKey: required("LANGFUSE_PUBLIC_KEY"),
    secretKey: "LANGFUSE_SECRET_KEY",
    baseUrl: "LANGFUSE_BASE_URL",
    environment: "LANGFUSE_ENVIRONMENT",
  }),
  phoenix: fromVariables(phoenix, {
    baseUrl: "PHOENIX_BASE_URL",
    apiKey: "PHOENIX_API_KEY",
    projects: { name: "PHOENIX_PROJECTS", read: list },
  }),
  datadog: fromVariables(datadog, {
    apiKey: required("DD_API_KEY"),
    mlApp: required("DD_LLMOBS_ML_APP"),
    site: "DD_SITE",
  }),
  opik: fromVariables(opik, {
    baseUrl: "OPIK_URL_OVERRIDE",
    apiKey: "OPIK_API_KEY",
    workspace: "OPIK_WORKSPACE",
    projectName: "OPIK_PROJECT_NAME",
  }),
  mlflow: fromVariables(
    ({ password, token = password, ...options }: MlflowWithPassword) => mlflow({ ...options, token }),
    {
      baseUrl: "MLFLOW_TRACKING_URI",
      token: "MLFLOW_TRACKING_TOKEN",
      username: "MLFLOW_TRACKING_USERNAME",
      password: "MLFLOW_TRACKING_PASSWORD",
      experimentIds: { name: "MLFLOW_EXPERIMENT_IDS", read: list },
    },
  ),
  langsmith: fromVariables(langsmith, {
    apiKey: required("LANGSMITH_API_KEY"),
    projectId: required("LANGSMITH_PROJECT_ID"),
    baseUrl: "LANGSMITH_ENDPOINT",
  }),
  braintrust: fromVariables(braintrust, {
    apiKey: required("BRAINTRUST_API_KEY"),
    projectId: required("BRAINTRUST_PROJECT_ID"),
    baseUrl: "BRAINTRUST_API_URL",
  }),
  otlp: fromVariables(otlp, {
    baseUrl: "OTEL_EXPORTER_OTLP_ENDPOINT",
    headers: { name: "OTEL_EXPORTER_OTLP_HEADERS", read: headersOf },
    serviceName: "OTEL_SERVICE_NAME",
  }),
  webhook: fromVariables(webhook, {
    url: required("AFTERWORD_WEBHOOK_URL"),
    secret: { ...required("AFTERWORD_WEBHOOK_SECRET"), read: list },
    allowPrivateAddresses: { name: "AFTERWORD_WEBHOOK_ALLOW_PRIVATE", read: (text) => text === "true" },
  }),
};

/** `name=value` pairs, the values percent-encoded, as OpenTelemetry's variable has them. */
function headersOf(pairs: string): Record<string, string> {
  try {
    const entries = list(pairs).map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), decodeURIComponent(value.join("=").trim())] as const;
    });
    return Object.fromEntries(entries.filter(([name]) => name !== ""));
  } catch {
    throw new ConfigurationError("The values of OTEL_EXPORTER_OTLP_HEADERS must be percent-encoded.");
  }
}

/** Creates the sink of this name. Throws a `ConfigurationError` that names everything missing. */
export function makeSink(name: string, out: string | undefined, { environment }: Shell): Sink {
  const choice = Object.hasOwn(sinkChoices, name) ? sinkChoices[name] : undefined;
  if (!choice) {
    const known = Object.keys(sinkChoices).join(", ");
    throw new ConfigurationError(`There is no sink "${name}"; choose one of ${known}.`);
  }
  const missing = choice.variables.flatMap(({ name, isRequired }) =>
    isRequired && !environment[name] ? name : [],
  );
  if (missing.length > 0) {
    const variables = missing.length === 1 ? "variable" : "variables";
    throw new ConfigurationError(`The sink ${name} needs the ${variables} ${missing.join(" and ")}.`);
  }
  return choice.make(environment, out);
}
