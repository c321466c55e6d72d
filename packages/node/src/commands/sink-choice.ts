import { type Sink } from "../delivery/sink.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { jsonl } from "../sinks/jsonl.ts";
import { langfuse } from "../sinks/langfuse.ts";
import { type Shell } from "./shell.ts";

/** What a sink is made of on the command line: variables for everything, and a file for `jsonl`. */
export interface SinkFlags {
  out?: string;
}

interface SinkChoice {
  /** For the help: the variables that it reads, the required ones first. */
  variables: readonly string[];
  make(flags: SinkFlags, variable: VariableReader): Sink;
}

interface VariableReader {
  required(name: string): string;
  optional(name: string): string | undefined;
}

/** Every sink that the program knows, by its name. */
export const sinkChoices: Readonly<Record<string, SinkChoice>> = {
  jsonl: {
    variables: [],
    make({ out }) {
      if (out === undefined) throw new ConfigurationError("The jsonl sink needs --out FILE.");
      return jsonl({ path: out });
    },
  },
  langfuse: {
    variables: ["LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY", "LANGFUSE_BASE_URL", "LANGFUSE_ENVIRONMENT"],
    make: (_flags, variable) =>
      langfuse({
        publicKey: variable.required("LANGFUSE_PUBLIC_KEY"),
        secretKey: variable.optional("LANGFUSE_SECRET_KEY"),
        baseUrl: variable.optional("LANGFUSE_BASE_URL"),
        environment: variable.optional("LANGFUSE_ENVIRONMENT"),
      }),
  },
};

/** Makes the sink of this name. Throws a `ConfigurationError` that names what is missing. */
export function makeSink(name: string, flags: SinkFlags, shell: Shell): Sink {
  const choice = Object.hasOwn(sinkChoices, name) ? sinkChoices[name] : undefined;
  if (!choice) {
    const known = Object.keys(sinkChoices).join(", ");
    throw new ConfigurationError(`There is no sink "${name}"; choose one of ${known}.`);
  }
  const optional = (variable: string) => shell.environment[variable] || undefined;
  const required = (variable: string) => {
    const value = optional(variable);
    if (value === undefined) throw new ConfigurationError(`The sink ${name} needs the variable ${variable}.`);
    return value;
  };
  try {
    return choice.make(flags, { required, optional });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
}
