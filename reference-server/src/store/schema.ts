import { type Generated } from "kysely";

/** The tables, as both databases have them; times are milliseconds since 1970, lists and objects are JSON texts. */
export interface Schema {
  projects: {
    id: string;
    name: string;
    allowed_origins: string;
    gating: string;
    epoch: number;
    secrets: string;
    created_at: number;
  };
  keys: {
    id: string;
    project_id: string;
    kind: string;
    digest: string;
    publishable_key: string | null;
    display: string;
    managed_by: string;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_used_at: number | null;
  };
  surveys: {
    project_id: string;
    id: string;
    slug: string;
    version: number;
    definition: string;
    status: string;
    maximum: number | null;
    /** As JSON; null: never. */
    ask_again: string | null;
    unprompted: number | null;
    managed_by: string;
    deleted_at: number | null;
  };
  /** One row: counts changes of the three tables above. */
  directory: { version: number };
  agreements: { name: string; value: string };
  /** One row: when data was last deleted for its age; null before the first time. */
  clean_up: { last_at: number | null };
  /** The ledger: apart from the records, so that erasing a record does not make its token usable again (decision D5). */
  spent_tokens: {
    project_id: string;
    token_id: Uint8Array;
    kind: string;
    record_id: string | null;
    at: number | null;
  };
  responses: {
    sequence: Generated<number>;
    id: string;
    project_id: string;
    survey_id: string;
    survey_version: number;
    respondent_id: string | null;
    session_id: string | null;
    observation_id: string | null;
    task_type: string | null;
    rating: number | null;
    text: string | null;
    follow_up_requested: number | null;
    identity_kind: string | null;
    traits: string | null;
    at: number;
    source: string;
    score_state: string;
    /** Why its sink refused it, while the state is `failed`. */
    failure: string | null;
    token_id: Uint8Array | null;
  };
  dismissals: {
    id: string;
    project_id: string;
    survey_id: string;
    respondent_id: string | null;
    at: number;
    token_id: Uint8Array;
  };
  /** One row per hashed respondent and survey, however often it was asked (decision D79). A time of 0: never. */
  suppression: {
    project_id: string;
    respondent_hash: Uint8Array;
    survey_id: string;
    answered_at: number;
    dismissed_at: number;
    is_permanent: number;
  };
  /** Answers and dismissals that a monthly cap counts. */
  asks: {
    project_id: string;
    respondent_hash: Uint8Array;
    at: number;
    survey_id: string;
    times: number;
  };
  /** Runs that a person has answered or dismissed, of surveys that are asked once in each (decision O92). */
  runs: {
    project_id: string;
    respondent_hash: Uint8Array;
    run_hash: Uint8Array;
    survey_id: string;
    at: number;
  };
  /** How many scores became delivered in an hour, which is the moment it begins (decision O119). */
  deliveries: { project_id: string; hour: number; delivered: number };
  response_counts: { project_id: string; survey_id: string; responses: number };
}
