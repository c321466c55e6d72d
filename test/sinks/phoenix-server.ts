import { until } from "./real-server.ts";

export interface PhoenixAnnotation {
  name: string;
  annotator_kind: string;
  identifier: string;
  result: { score: number | null; label: string | null; explanation: string | null };
  metadata: Record<string, unknown>;
}

/** A real Phoenix as an agent's server sees it: it records runs there, and people look at their annotations. */
export class PhoenixServer {
  #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Records one run of an agent, and resolves when Phoenix has it: it stores spans in the background. */
  async record(run: { sessionId: string; traceId: string; spanId: string }): Promise<void> {
    const span = {
      name: "agent run",
      context: { trace_id: run.traceId, span_id: run.spanId },
      span_kind: "AGENT",
      parent_id: null,
      start_time: new Date(Date.now() - 2000).toISOString(),
      end_time: new Date(Date.now() - 1000).toISOString(),
      status_code: "OK",
      status_message: "",
      attributes: { "session.id": run.sessionId },
      events: [],
    };
    const response = await fetch(`${this.#baseUrl}/v1/projects/default/spans`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: [span] }),
    });
    if (response.status !== 202)
      throw new Error(`Phoenix answered ${response.status}: ${await response.text()}`);
    const session = `${this.#baseUrl}/v1/sessions/${encodeURIComponent(run.sessionId)}`;
    await until(
      async () => (await fetch(session)).status,
      (status) => status === 200,
    );
  }

  async annotations(kind: "session" | "span" | "trace", id: string): Promise<PhoenixAnnotation[]> {
    const query = new URLSearchParams({ [`${kind}_ids`]: id, limit: "100" });
    const response = await fetch(`${this.#baseUrl}/v1/projects/default/${kind}_annotations?${query}`);
    if (!response.ok) throw new Error(`Phoenix answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: PhoenixAnnotation[] }).data;
  }
}
