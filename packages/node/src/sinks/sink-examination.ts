import type { Sink, SinkExamination } from "../scores/sink.ts";
import type { SendToSink, SinkAnswer, SinkRequest } from "./sink-request.ts";
import { hasId, namesWhatIsMissing, statusOutcome } from "./status-outcome.ts";

/** A request that changes nothing at the service, and the reply it expects. Default method: `GET`. */
export interface Probe extends Partial<SinkRequest> {
  path: string;
  /** Whether a 2xx is the reply that this service documents. */
  accepts: (body: unknown) => boolean;
  /** What is missing when the answer is 404, for people. Default: the base URL is wrong. */
  missing?: string;
}

/** A look at one project, which the service answers with its id. */
export const projectProbe = (route: string, projectId: string): Probe => ({
  path: `${route}/${encodeURIComponent(projectId)}`,
  accepts: hasId,
  missing: `no project has the id ${projectId}`,
});

/** Makes the `examine` of a sink: each probe must get the reply that the service documents. */
export function examineBy(
  send: SendToSink,
  probes: readonly Probe[],
  detail: string,
): NonNullable<Sink["examine"]> {
  return async ({ signal }) => {
    for (const { accepts, missing, ...request } of probes) {
      const answer = await send({ method: "GET", isLookUp: true, ...request }, signal);
      const fault = faultIn(answer, { accepts, missing });
      if (fault !== undefined) return fault;
    }
    return { result: "ok", detail };
  };
}

function faultIn(
  answer: SinkAnswer,
  { accepts, missing }: Pick<Probe, "accepts" | "missing">,
): SinkExamination | undefined {
  const failed = (detail: string, retryable = false) => ({ result: "failed", detail, retryable }) as const;
  if (answer.kind === "none") return failed(answer.reason, true);
  const { status, body, reason } = answer;
  if (status === 404 && missing !== undefined && namesWhatIsMissing(body))
    return failed(`${reason}: ${missing}`);
  const outcome = statusOutcome(answer, { accepts });
  if (outcome.outcome === "delivered") return undefined;
  return status < 300
    ? failed(`${reason} but not as this service does; is the base URL right?`)
    : failed(outcome.reason, outcome.outcome === "retry");
}
