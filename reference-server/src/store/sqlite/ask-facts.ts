import { type AskFacts, type EarlierAsk } from "../store.ts";
import { type Connection } from "./connection.ts";

/** One statement for both, since what costs is to begin one: without asks it gives a row with the epoch alone. */
const factsOf = `
  SELECT projects.epoch, survey_id AS surveyId, at, times FROM projects
  LEFT JOIN asks ON asks.project_id = projects.id AND respondent_hash = ?
  WHERE projects.id = ?`;
const countOf = "SELECT responses FROM response_counts WHERE project_id = ? AND survey_id = ?";

type Row = { epoch: number } & (EarlierAsk | Record<keyof EarlierAsk, null>);

const isAsk = (row: Row): row is Row & EarlierAsk => row.surveyId !== null;

/** What gating decides on, read at each bootstrap and mint. */
export class AskFactsReader {
  readonly #factsOf;
  readonly #countOf;

  constructor(connection: Connection) {
    this.#factsOf = connection.prepare<[Uint8Array | null, string], Row>(factsOf);
    this.#countOf = connection.prepare<[string, string], number>(countOf).pluck();
  }

  read(projectId: string, hash: Uint8Array | undefined, countedSurveyIds: readonly string[]): AskFacts {
    const rows = this.#factsOf.all(hash ?? null, projectId);
    const asks = rows.filter(isAsk).map(({ surveyId, at, times }) => ({ surveyId, at, times }));
    const counts = countedSurveyIds.map((id) => [id, this.#countOf.get(projectId, id) ?? 0] as const);
    return { epoch: rows[0]?.epoch, asks, responseCounts: new Map(counts) };
  }
}
