import { type HttpSinkOptions, type Sink } from "@afterword/node/forwarder";
import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020.js";
import { type StageReply, type StageRequest } from "./sink-stage.ts";

/** One service as the suite sees it: how its sink is made, and a fake that takes only what the service takes. */
export interface SinkContract {
  makeSink(baseUrl: string, options: HttpSinkOptions & { resolveTarget?: undefined }): Sink;
  /** Answers as the service does; a request that the service would refuse is answered as the service refuses it. */
  play(request: StageRequest): StageReply;
  /** How many scores the service holds under the response's id. */
  held(id: string): number;
  /** The request that carries a score, as opposed to a look-up before it. */
  isDelivery(request: StageRequest): boolean;
  /** `false` where the service has no id to know a repetition by. */
  isIdempotent: boolean;
  /** Whether the service documents this 2xx as success, besides the replies of `play`. Default: it documents no other. */
  documents?(reply: StageReply): boolean;
  /** `false` where a score cannot be deleted by the response's id. */
  erases: boolean;
  /** `false` where nothing can be asked of the service without delivering something. */
  examines: boolean;
  /**
   * What a delivery names as rated when the observation id is the reference of `knownRun`, or of its trace alone. Absent
   * where the caller's own resolver decides.
   */
  reference?: { ofTrace: object; ofSpan: object };
  /** What the body of a delivery has for a thumb, and never for another score. */
  thumbs: Record<"up" | "down", object>;
  /** Where a delivery says that a person has judged; absent where the service has no field for it. */
  human?: string;
  /** `false` where the service keeps nothing but the value, the label and the text. */
  keepsMetadata?: boolean;
  /** What must never be in a reason, besides the person's words. */
  secret: string;
}

/** A run of OpenTelemetry that each fake has. */
export const knownRun = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

export const signInPage = "<!DOCTYPE html><html><body>Please sign in</body></html>";

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

/** Checks a body against a schema; answers why it does not fit, or `undefined`. */
export function schemaCheck(schema: AnySchemaObject): (body: unknown) => string | undefined {
  const validate = ajv.compile(schema);
  return (body) => (validate(body) ? undefined : ajv.errorsText(validate.errors));
}

/** A schema of an OpenAPI document, with the others that it refers to. */
export function openApiSchema(document: { components: { schemas: object } }, name: string): AnySchemaObject {
  return { $ref: `#/components/schemas/${name}`, components: document.components };
}

/** Counts what a service holds, by the id that the service itself goes by. */
export class Holdings {
  #entries: { key: string; id: string }[] = [];

  /** With a key that is there already, the entry takes its place. */
  put(key: string, id: string): void {
    this.remove(key);
    this.#entries.push({ key, id });
  }

  /** Beside whatever is there. */
  add(id: string): void {
    this.#entries.push({ key: `${this.#entries.length}`, id });
  }

  has(key: string): boolean {
    return this.#entries.some((entry) => entry.key === key);
  }

  remove(key: string): void {
    this.#entries = this.#entries.filter((entry) => entry.key !== key);
  }

  count(id: string): number {
    return this.#entries.filter((entry) => entry.id === id).length;
  }
}
