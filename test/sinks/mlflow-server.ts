import { randomBytes } from "node:crypto";

export interface MlflowAssessment {
  assessment_id: string;
  assessment_name: string;
  source: { source_type: string; source_id: string };
  feedback: { value: unknown };
  rationale?: string;
  create_time: string;
  metadata: Record<string, string>;
}

/** A real MLflow as an agent's server sees it: it records traces there, and people look at their assessments. */
export class MlflowServer {
  #api: string;

  constructor(baseUrl: string) {
    this.#api = `${baseUrl}/api/3.0/mlflow/traces`;
  }

  /** Records one trace of a session in the default experiment; answers its id, which is `tr-` and OpenTelemetry's. */
  async record(
    sessionId: string,
    at: Date,
    traceId: string = randomBytes(16).toString("hex"),
  ): Promise<string> {
    const trace_id = `tr-${traceId}`;
    const location = { type: "MLFLOW_EXPERIMENT", mlflow_experiment: { experiment_id: "0" } };
    const trace_info = {
      trace_id,
      trace_location: location,
      request_time: at.toISOString(),
      execution_duration: "1.5s",
      state: "OK",
      trace_metadata: { "mlflow.trace.session": sessionId },
      tags: {},
    };
    await this.#call("", { method: "POST", body: JSON.stringify({ trace: { trace_info } }) });
    return trace_id;
  }

  async assessments(traceId: string): Promise<MlflowAssessment[]> {
    const { trace } = await this.#call(`/${traceId}`, {});
    return trace.trace_info.assessments ?? [];
  }

  async remove(traceId: string): Promise<void> {
    const body = JSON.stringify({ experiment_id: "0", request_ids: [traceId] });
    await this.#call("/delete-traces", { method: "POST", body });
  }

  async #call(
    path: string,
    init: RequestInit,
  ): Promise<{ trace: { trace_info: { assessments?: MlflowAssessment[] } } }> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.#api + path, { ...init, headers });
    if (!response.ok) throw new Error(`MLflow answered ${response.status}: ${await response.text()}`);
    return await response.json();
  }
}
