import { type Reply } from "@afterword/conformance";

export const surveys = ["a", "b", "c"];
export const people = ["ada", "bob", "cleo"];

const hourInMs = 3_600_000;
const leewayInMs = 60_000;
const lifetimeInMs = { unbound: 24 * hourInMs, bound: 7 * 24 * hourInMs };

/** A record as the model remembers it; erasing takes the record away and leaves its token spent. */
export interface ModelRecord {
  id: string;
  at: string;
  kind: "response" | "dismissal";
  person: string;
  survey: string;
  scoreState: "unlinked" | "pending" | "failed" | "delivered";
}

export interface ModelToken {
  value: string;
  survey: string;
  person: string;
  isBound: boolean;
  expiresAt: number;
  epoch: number;
  /** What spent it; the record is gone once it was erased. */
  spent?: { kind: ModelRecord["kind"]; record?: ModelRecord };
}

export interface Expected {
  status: number;
  code?: string;
  /** The record that a refusal or a repetition tells of. */
  existing?: ModelRecord;
}

/** The contract of one project in its shortest form, for one caller at a time. */
export class ServiceModel {
  epoch = 1;
  readonly tokens: ModelToken[] = [];
  /** In the order in which they were stored. */
  records: ModelRecord[] = [];
  #asked = new Set<string>();

  suppressionOf(person: string): string[] {
    return surveys.filter((survey) => this.#asked.has(`${person} ${survey}`));
  }

  offeredTo(person: string): string[] {
    const suppressed = this.suppressionOf(person);
    return surveys.filter((survey) => !suppressed.includes(survey));
  }

  issue(tokens: Record<string, string>, person: string, isBound: boolean, now: number): void {
    const expiresAt = now + lifetimeInMs[isBound ? "bound" : "unbound"] + leewayInMs;
    for (const [survey, value] of Object.entries(tokens)) {
      this.tokens.push({ value, survey, person, isBound, expiresAt, epoch: this.epoch });
    }
  }

  /** What stands before any use of a token. */
  #refusalOf(token: ModelToken, now: number): Expected | undefined {
    if (now > token.expiresAt) return { status: 401, code: "token_expired" };
    if (token.epoch !== this.epoch) return { status: 401, code: "token_invalid" };
    return undefined;
  }

  submit(token: ModelToken, now: number, survey = token.survey): Expected {
    const refusal = this.#refusalOf(token, now);
    if (refusal) return refusal;
    if (token.spent) return { status: 409, code: "token_used", existing: token.spent.record };
    return survey === token.survey ? { status: 201 } : { status: 401, code: "token_invalid" };
  }

  dismiss(token: ModelToken, now: number): Expected {
    const refusal = this.#refusalOf(token, now);
    if (refusal) return refusal;
    if (!token.spent) return { status: 201 };
    const { kind, record } = token.spent;
    if (kind === "dismissal" && record) return { status: 201, existing: record };
    return { status: 401, code: "token_used", existing: record };
  }

  /** Remembers what the service says it has stored. */
  store(token: ModelToken, kind: ModelRecord["kind"], { json }: Reply): void {
    const { person, survey } = token;
    const scoreState = kind === "response" && token.isBound ? "pending" : "unlinked";
    const record: ModelRecord = { id: json.id, at: json.at, kind, person, survey, scoreState };
    token.spent = { kind, record };
    this.records.push(record);
    this.#asked.add(`${person} ${survey}`);
  }

  get responses(): ModelRecord[] {
    return this.records.filter(({ kind }) => kind === "response");
  }

  queue(includeFailed: boolean): string[] {
    const states = includeFailed ? ["pending", "failed"] : ["pending"];
    return this.records.filter(({ scoreState }) => states.includes(scoreState)).map(({ id }) => id);
  }

  /** How many rows change: delivered beats failed, delivered is final, failed again is no change. */
  acknowledge(results: readonly { id: string; state: "delivered" | "failed" }[]): number {
    const folded = new Map<string, "delivered" | "failed">();
    for (const { id, state } of results) if (folded.get(id) !== "delivered") folded.set(id, state);
    let updated = 0;
    for (const record of this.records) {
      const state = folded.get(record.id);
      const { scoreState } = record;
      const isOpen = scoreState === "pending" || (scoreState === "failed" && state === "delivered");
      if (state === undefined || !isOpen) continue;
      record.scoreState = state;
      updated++;
    }
    return updated;
  }

  erase(selected: { person?: string; survey?: string }) {
    const { person, survey } = selected;
    const isMeant = (one: { person: string; survey: string }) =>
      (person ?? one.person) === one.person && (survey ?? one.survey) === one.survey;
    const gone = this.records.filter(isMeant);
    this.records = this.records.filter((record) => !gone.includes(record));
    for (const { spent } of this.tokens) {
      if (spent?.record && gone.includes(spent.record)) spent.record = undefined;
    }
    const facts = people.flatMap((who) =>
      this.suppressionOf(who).map((what) => ({ person: who, survey: what })),
    );
    return { ...countsOf(gone), suppressionRetained: facts.filter(isMeant).length };
  }

  purge() {
    const counts = countsOf(this.records);
    this.records = [];
    this.#asked = new Set();
    this.epoch++;
    return counts;
  }
}

function countsOf(gone: readonly ModelRecord[]) {
  const count = (wanted: ModelRecord["kind"]) => gone.filter(({ kind }) => kind === wanted).length;
  return { responsesDeleted: count("response"), dismissalsDeleted: count("dismissal") };
}
