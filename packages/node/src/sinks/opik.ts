import { type DeliverableScore, defineSink, type Outcome, type Sink } from "../scores/sink.ts";
import { resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { cannotErase, eachScore } from "./each-score.ts";
import { type Secret, secretHeaders } from "./secret.ts";
import { examineBy, type Probe } from "./sink-examination.ts";
import { type HttpSinkOptions, sinkRequests } from "./sink-request.ts";
import { isJsonObject, statusOutcome } from "./status-outcome.ts";

/** A thread is a session; traces and spans are named by UUID. */
export type OpikTarget = { threadId: string } | { traceId: string } | { spanId: string };

export interface OpikOptions extends HttpSinkOptions {
  /** Default `https://www.comet.com/opik/api`. */
  baseUrl?: string;
  /** Not needed for a server of one's own without authentication. */
  apiKey?: Secret;
  workspace?: string;
  /** Default Opik's own, `Default Project`. */
  projectName?: string;
  /** Finds the thread, trace or span of a score. Default: the thread that has the session's id. */
  resolveTarget?: ResolveTarget<OpikTarget>;
}

/**
 * Feedback scores in Opik. Opik keeps one score per target, author and name, so that the same row twice is one score;
 * the survey's id is always part of the name, since two surveys of one session would otherwise overwrite each other.
 */
export function opik(options: OpikOptions = {}): Sink {
  const { baseUrl = "https://www.comet.com/opik/api", apiKey, workspace, clock = Date.now } = options;
  const { projectName = "Default Project", resolveTarget = threadOfSession } = options;
  const withKey =
    apiKey === undefined
      ? undefined
      : secretHeaders(apiKey, "The API key of Opik", (key) => ({ authorization: key }));
  const headers = async () => ({
    ...(await withKey?.()),
    ...(workspace === undefined ? {} : { "comet-workspace": workspace }),
  });
  const send = sinkRequests({ name: "opik", baseUrl, headers }, options);

  async function deliverOne(score: DeliverableScore, signal: AbortSignal): Promise<Outcome> {
    if (score.rating === null) return { outcome: "permanent", reason: "opik: a score needs a rating" };
    const found = await resolvedTarget(resolveTarget, score, { signal }, clock());
    if (!("target" in found)) return found;
    const { path, id } = placeOf(found.target);
    const body = { scores: [{ ...id, project_name: projectName, ...scoreOf(score) }] };
    return statusOutcome(await send({ method: "PUT", path, body }, signal), {
      accepts: (reply, status) => status === 204 && reply === "",
    });
  }

  return defineSink({
    name: "opik",
    deliver: eachScore(deliverOne),
    examine: examineBy(send, [projectNamed(projectName)], "it answers, and the project exists"),
    eraseScores: cannotErase(
      "Opik deletes a score only by its thread, trace or span, which an exported response does not name",
    ),
  });
}

const projectNamed = (name: string): Probe => ({
  method: "POST",
  path: "/v1/private/projects/retrieve",
  body: { name },
  accepts: (reply) => isJsonObject(reply) && reply["name"] === name,
  missing: `no project is named ${name}; Opik makes it with the first trace`,
});

const threadOfSession: ResolveTarget<OpikTarget> = ({ sessionId }) =>
  sessionId === null ? "never" : { threadId: sessionId };

function placeOf(target: OpikTarget) {
  if ("threadId" in target) {
    return { path: "/v1/private/traces/threads/feedback-scores", id: { thread_id: target.threadId } };
  }
  return "traceId" in target
    ? { path: "/v1/private/traces/feedback-scores", id: { id: target.traceId } }
    : { path: "/v1/private/spans/feedback-scores", id: { id: target.spanId } };
}

const scoreOf = ({ name, surveyId, rating, label, text }: DeliverableScore) => ({
  name: name.endsWith(`.${surveyId}`) ? name : `${name}.${surveyId}`,
  value: rating,
  category_name: label ?? undefined,
  reason: text ?? undefined,
  source: "sdk",
});
