import { type AskFacts, type EarlierAsk } from "../store.ts";
import { type Connection } from "./connection.ts";

// Two short statements: one with a join took twice as long, most of all where nobody was asked before.
const epochOf = "SELECT epoch FROM projects WHERE id = ?";
const asksOf =
  "SELECT survey_id AS surveyId, at, times FROM asks WHERE project_id = ? AND respondent_hash = ?";
const countOf = "SELECT responses FROM response_counts WHERE project_id = ? AND survey_id = ?";

const noCounts: AskFacts["responseCounts"] = new Map();

/** What gating decides on, read at each bootstrap and mint. */
export class AskFactsReader {
  readonly #epochOf;
  readonly #asksOf;
  readonly #countOf;

  constructor(connection: Connection) {
    this.#epochOf = connection.prepare<[string], number>(epochOf).pluck();
    this.#asksOf = connection.prepare<[string, Uint8Array], EarlierAsk>(asksOf);
    this.#countOf = connection.prepare<[string, string], number>(countOf).pluck();
  }

  read(projectId: string, hash: Uint8Array | undefined, countedSurveyIds: readonly string[]): AskFacts {
    const asks = hash ? this.#asksOf.all(projectId, hash) : [];
    const counts = countedSurveyIds.map((id) => [id, this.#countOf.get(projectId, id) ?? 0] as const);
    const responseCounts = counts.length === 0 ? noCounts : new Map(counts);
    return { epoch: this.#epochOf.get(projectId), asks, responseCounts };
  }
}
