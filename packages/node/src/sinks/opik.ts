import { member } from "../options/json.ts";
import type { DeliverableScore, Sink } from "../scores/sink.ts";
import { resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { httpSink } from "./http-sink.ts";
import { numberOf } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "../options/secret.ts";
import type { HttpSinkOptions } from "./sink-request.ts";

/** A thread is a session. Traces and spans have UUIDs. */
export type OpikTarget = { threadId: string } | { traceId: string } | { spanId: string };

/** What `opik` takes, beside the options of every HTTP sink. */
export interface OpikOptions extends HttpSinkOptions {
  /** Default `https://www.comet.com/opik/api`. */
  baseUrl?: string | undefined;
  /** Not needed for a self-hosted server without authentication. */
  apiKey?: Secret | undefined;
  /** Opik workspace of the project. Without it, requests name no workspace. */
  workspace?: string | undefined;
  /** Default `Default Project`, as in Opik. */
  projectName?: string | undefined;
  /**
   * Finds the thread, trace or span of a score. Default: the thread with the session's id, also for run references: Opik
   * derives its ids from those of OpenTelemetry and the time of a trace's first span.
   */
  resolveTarget?: ResolveTarget<OpikTarget> | undefined;
}

/**
 * Sends feedback scores to Opik. Opik keeps one score per target, author and name, so a score that is delivered twice stays
 * one score. The name always contains the survey's id, or two surveys of one session would overwrite each other. The
 * scores have no metadata.
 */
export function opik(options: OpikOptions = {}): Sink {
  const { baseUrl = "https://www.comet.com/opik/api", apiKey, workspace } = options;
  const { projectName = "Default Project", resolveTarget = threadOfSession } = options;
  const inWorkspace: Record<string, string> = workspace === undefined ? {} : { "comet-workspace": workspace };
  const withKey = (key: string) => ({ authorization: key, ...inWorkspace });
  return httpSink(options, {
    name: "opik",
    baseUrl,
    headers:
      apiKey === undefined ? async () => inWorkspace : secretHeaders(apiKey, "The API key of Opik", withKey),
    async deliver(score, call) {
      if (score.rating === null) return { outcome: "permanent", reason: "opik: a score needs a rating" };
      const found = await resolvedTarget(resolveTarget, score, call);
      if (!("target" in found)) return found;
      const { path, id } = placeOf(found.target);
      const scores = [{ ...id, project_name: projectName, ...scoreOf(score) }];
      return await call.send({ method: "PUT", path, body: { scores } });
    },
    accepts: (body, status) => status === 204 && body === "",
    probes: [
      {
        method: "POST",
        path: "/v1/private/projects/retrieve",
        body: { name: projectName },
        accepts: (body) => member(body, "name") === projectName,
        missing: `no project is named ${projectName}; Opik creates it with the first trace`,
      },
    ],
    examined: "it answers, and the project exists",
    erase: "Opik deletes a score only by its thread, trace or span, which an exported response does not name",
  });
}

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

const scoreOf = (score: DeliverableScore) => ({
  name: score.name.endsWith(`.${score.surveyId}`) ? score.name : `${score.name}.${score.surveyId}`,
  value: numberOf(score),
  category_name: score.label ?? undefined,
  reason: score.text ?? undefined,
  source: "sdk",
});
