import { member } from "../options/json.ts";
import type { DeliverableScore, ErasableScore, ErasureOutcome, Outcome, Sink } from "../scores/sink.ts";
import { missingTarget } from "../scores/target.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { eraseEach, httpSink, type Probe, type SinkContext } from "./http-sink.ts";
import { numberOf, scoreMetadata } from "./score-metadata.ts";
import { bearer, type Secret, secretHeaders } from "../options/secret.ts";
import type { HttpSinkOptions, SinkReply } from "./sink-request.ts";
import { erasureOutcome, isJsonObject, noTarget } from "./status-outcome.ts";

/** What `phoenix` takes, beside the options of every HTTP sink. */
export interface PhoenixOptions extends HttpSinkOptions {
  /** Default `http://localhost:6006`. */
  baseUrl?: string | undefined;
  /** Required if the Phoenix server uses authentication. */
  apiKey?: Secret | undefined;
  /** Projects, by name or id, to search when a person's scores are erased. Default: all. */
  projects?: readonly string[] | undefined;
}

/**
 * Sends annotations to Arize Phoenix. A run reference goes to its span or trace, an observation id of 16 hexadecimal
 * digits to that span, any other to the session, with the observation in the metadata. The response's id is the
 * annotation's `identifier`, so a score that is delivered twice stays one annotation. Phoenix stores at once (`sync=true`):
 * otherwise it accepts an unknown session, waits ten minutes for it and silently drops the annotation.
 * @example
 * const sink = phoenix({ baseUrl: "http://localhost:6006", projects: ["shop"] });
 */
export function phoenix(options: PhoenixOptions = {}): Sink {
  const { baseUrl = "http://localhost:6006", apiKey, projects } = options;
  return httpSink(options, {
    name: "phoenix",
    baseUrl,
    headers: apiKey === undefined ? undefined : secretHeaders(apiKey, "The API key of Phoenix", bearer),
    deliver,
    accepts: isInserted,
    probes: projects?.map(projectNamed) ?? [anyProjects],
    examined: projects ? "it answers, and the projects exist" : "it answers",
    erase: phoenixErasure(projects),
  });
}

async function deliver(score: DeliverableScore, { send, now }: SinkContext): Promise<Outcome | SinkReply> {
  let missing: Outcome = noTarget;
  for (const { kind, id } of annotatedBy(score)) {
    const body = { data: [{ [`${kind}_id`]: id, ...annotationOf(score) }] };
    const reply = await send({ method: "POST", path: `/v1/${kind}_annotations?sync=true`, body });
    if (!saysMissing(reply)) return reply;
    missing = missingTarget(score, `${reply.reason}: no such ${kind}`, now());
    if (missing.outcome === "retry") break;
    // The score of a span that never arrived goes to its trace or session.
  }
  return missing;
}

/** The targets that the score names, the narrowest first. The names of their routes and id fields begin with the kind. */
function annotatedBy({ sessionId, observationId }: DeliverableScore) {
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
  result: { score: numberOf(score), label: score.label, explanation: score.text },
  metadata: scoreMetadata(score),
});

const anyProjects: Probe = {
  path: "/v1/projects?limit=1",
  accepts: (body) => Array.isArray(member(body, "data")),
};

const projectNamed = (name: string): Probe => ({
  path: `/v1/projects/${encodeURIComponent(name)}`,
  accepts: (body) => isJsonObject(member(body, "data")),
  missing: `no project is named ${name}`,
});

/** With `sync=true` Phoenix returns the ids of what it has stored. */
const isInserted = (body: unknown) => typeof member(body, "data", "0", "id") === "string";

/** Phoenix's 404 says that the target does not exist; another server's says something else. */
const saysMissing = (reply: SinkReply) =>
  reply.status === 404 && /do(es)? not exist/.test(JSON.stringify(reply.body));

/**
 * Deletes annotations by their identifier. Phoenix deletes within one project and one kind of target, and an exported
 * response names neither, so every project and kind is tried.
 */
function phoenixErasure(projects: readonly string[] | undefined) {
  return async (scores: readonly ErasableScore[], call: SinkContext): Promise<ErasureOutcome[]> => {
    const all = projects ?? (await allProjects(call));
    if ("outcome" in all) return scores.map(() => all);
    const routes = all.flatMap((project) =>
      ["session", "span", "trace"].map(
        (kind) => `/v1/projects/${encodeURIComponent(project)}/${kind}_annotations`,
      ),
    );
    return await eraseEach(async ({ id }, { send }) => {
      const filter = new URLSearchParams({ identifier: id, delete_all: "true" });
      for (const route of routes) {
        const outcome = verdict(await send({ method: "DELETE", path: `${route}?${filter}` }), projects);
        if (outcome.outcome !== "erased") return outcome;
      }
      return { outcome: "erased" };
    })(scores, call);
  };
}

/** A project from the options must exist; one that Phoenix has just listed may have been deleted since. */
function verdict(reply: SinkReply, named: readonly string[] | undefined): ErasureOutcome {
  const { reason, status } = reply;
  if (status === 405)
    return { outcome: "unsupported", reason: `${reason}; this Phoenix is too old to delete annotations` };
  return status === 404 && named
    ? { outcome: "failed", reason: `${reason}: no such project` }
    : erasureOutcome(reply);
}

async function allProjects({ send }: SinkContext): Promise<string[] | ErasureOutcome> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: "100", ...(cursor === null ? {} : { cursor }) });
    const reply = await send({ method: "GET", path: `/v1/projects?${query}` });
    const body = reply.status === 200 ? (reply.body as ProjectPage | null) : null;
    if (!Array.isArray(body?.data)) return { outcome: "failed", reason: reply.reason };
    ids.push(...body.data.map((project) => project.id));
    cursor = body.next_cursor ?? null;
  } while (cursor !== null);
  return ids;
}

interface ProjectPage {
  data: { id: string }[];
  next_cursor?: string | null;
}
