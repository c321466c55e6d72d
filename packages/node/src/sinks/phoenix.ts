import { type DeliverableScore, defineSink, type Outcome, type Sink } from "../scores/sink.ts";
import { missingTarget } from "../scores/target.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { deliverEach } from "./each-score.ts";
import { phoenixErasure } from "./phoenix-erasure.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "./secret.ts";
import { examineBy, type Probe } from "./sink-examination.ts";
import { type HttpSinkOptions, type SinkAnswer, sinkRequests } from "./sink-request.ts";
import { isJsonObject, noTarget, statusOutcome } from "./status-outcome.ts";

export interface PhoenixOptions extends HttpSinkOptions {
  /** Default `http://localhost:6006`. */
  baseUrl?: string;
  /** Required if the Phoenix server uses authentication. */
  apiKey?: Secret;
  /** Projects, by name or id, to search when a person's scores are erased. Default: all. */
  projects?: readonly string[];
}

/** What is annotated. The names of its route and of its id field begin with the kind. */
interface Annotated {
  kind: "session" | "span" | "trace";
  id: string;
}

/**
 * Sends annotations to Arize Phoenix. A run reference goes to its span or trace, an observation id of 16 hexadecimal
 * digits to that span, any other to the session, with the observation in the metadata. The response's id is the
 * annotation's `identifier`, so a row that is delivered twice stays one annotation. Phoenix stores at once (`sync=true`):
 * otherwise it accepts an unknown session, waits ten minutes for it and silently drops the annotation.
 */
export function phoenix(options: PhoenixOptions = {}): Sink {
  const { baseUrl = "http://localhost:6006", apiKey, clock = Date.now } = options;
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const headers = apiKey === undefined ? undefined : secretHeaders(apiKey, "The API key of Phoenix", bearer);
  const send = sinkRequests({ name: "phoenix", baseUrl, headers }, options);

  async function deliverTo(
    [{ kind, id }, ...wider]: readonly [Annotated, ...Annotated[]],
    score: DeliverableScore,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const body = { data: [{ [`${kind}_id`]: id, ...annotationOf(score) }] };
    const answer = await send({ method: "POST", path: `/v1/${kind}_annotations?sync=true`, body }, signal);
    if (!saysMissing(answer)) return statusOutcome(answer, { accepts: isInserted });
    const missing = missingTarget(score, answer.reason, clock());
    // The rating of a span that never arrived goes to its trace or session.
    const [next, ...rest] = wider;
    if (missing.outcome === "retry" || next === undefined) return missing;
    return await deliverTo([next, ...rest], score, signal);
  }

  async function deliverOne(score: DeliverableScore, signal: AbortSignal): Promise<Outcome> {
    const [target, ...wider] = annotatedBy(score);
    return target === undefined ? noTarget : await deliverTo([target, ...wider], score, signal);
  }

  return defineSink({
    name: "phoenix",
    deliver: deliverEach(deliverOne),
    examine: examineBy(
      send,
      options.projects?.map(projectNamed) ?? [anyProjects],
      options.projects ? "it answers, and the projects exist" : "it answers",
    ),
    eraseScores: phoenixErasure(send, options.projects),
  });
}

/** The targets that the score names, the narrowest first. */
function annotatedBy({ sessionId, observationId }: DeliverableScore): Annotated[] {
  const run = readRunReference(observationId);
  // Phoenix stores OpenTelemetry's ids in lowercase.
  const spanId = run?.spanId ?? /^[0-9a-f]{16}$/i.exec(observationId ?? "")?.[0].toLowerCase();
  const candidates = [
    { kind: "span", id: spanId },
    { kind: "trace", id: run?.traceId },
    { kind: "session", id: sessionId },
  ] as const;
  return candidates.flatMap(({ kind, id }) => (id ? [{ kind, id }] : []));
}

const annotationOf = (score: DeliverableScore) => ({
  name: score.name,
  annotator_kind: "HUMAN",
  identifier: score.id,
  result: { score: score.rating, label: score.label, explanation: score.text },
  metadata: scoreMetadata(score),
});

const anyProjects: Probe = {
  path: "/v1/projects?limit=1",
  accepts: (reply) => isJsonObject(reply) && Array.isArray(reply["data"]),
};

const projectNamed = (name: string): Probe => ({
  path: `/v1/projects/${encodeURIComponent(name)}`,
  accepts: (reply) => isJsonObject(reply) && isJsonObject(reply["data"]),
  missing: `no project is named ${name}`,
});

/** With `sync=true` Phoenix returns the ids of what it has stored. */
const isInserted = (body: unknown) =>
  typeof (body as { data?: { id?: unknown }[] } | null)?.data?.[0]?.id === "string";

/** Phoenix's 404 says that the target does not exist; another server's says something else. */
const saysMissing = (answer: SinkAnswer) =>
  answer.kind === "answer" && answer.status === 404 && /do(es)? not exist/.test(JSON.stringify(answer.body));
