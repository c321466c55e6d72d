import { type AskFacts, type EarlierAsk } from "../store.ts";
import { type Connection } from "./connection.ts";

// One statement, since each takes and gives back a lock on the database, which costs more than the look-up itself. The
// project comes as the row without a survey.
const factsOf = `
  SELECT NULL, epoch, 0 FROM projects WHERE id = ?
  UNION ALL
  SELECT survey_id, at, times FROM asks WHERE project_id = ? AND respondent_hash = ?`;
const countOf = "SELECT responses FROM response_counts WHERE project_id = ? AND survey_id = ?";

type Row = [surveyId: string | null, epochOrAt: number, times: number];

const nobody = new Uint8Array();
const noCounts: AskFacts["responseCounts"] = new Map();

/** What gating decides on, read at each bootstrap and mint. */
export class AskFactsReader {
  readonly #factsOf;
  readonly #countOf;

  constructor(connection: Connection) {
    this.#factsOf = connection.prepare<[string, string, Uint8Array], Row>(factsOf).raw();
    this.#countOf = connection.prepare<[string, string], number>(countOf).pluck();
  }

  read(projectId: string, hash: Uint8Array = nobody, countedSurveyIds: readonly string[]): AskFacts {
    const asks: EarlierAsk[] = [];
    let epoch: number | undefined;
    for (const [surveyId, at, times] of this.#factsOf.all(projectId, projectId, hash)) {
      if (surveyId === null) epoch = at;
      else asks.push({ surveyId, at, times });
    }
    const counts = countedSurveyIds.map((id) => [id, this.#countOf.get(projectId, id) ?? 0] as const);
    const responseCounts = counts.length === 0 ? noCounts : new Map(counts);
    return { epoch, asks, responseCounts };
  }
}
