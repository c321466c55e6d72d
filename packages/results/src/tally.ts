import { type Linearisation, type LinearisedSums } from "./statistics/poststratification.ts";
import { type PersonSums } from "./statistics/sample.ts";
import { type Key } from "./store/results-reader.ts";
import { type Answers, type Cell } from "./answers.ts";

/** What each rating from 0 to 10 contributes to the score, by the id of the survey. */
export type RatingValues = ReadonlyMap<string, readonly number[]>;

/** The answers of one survey and group. */
export interface Tally {
  surveyId: string;
  key: Key;
  /** How many gave each rating; the index is the rating. */
  counts: number[];
  imported: number;
  /** Answers without a known person: each is of a person of its own. */
  withoutPerson: number;
  /** The sums over its people. */
  sums: PersonSums;
  /** The sums over the answers that have residuals; no people if none has. */
  linearised: LinearisedSums;
  /** When the first and the last of them was given. */
  firstAt: number;
  lastAt: number;
  /** The people with residuals in this group and in the one that it is compared with, and the products of their sums. */
  shared: { people: number; products: number };
}

/** What the answers of a whole survey or a group add up to. */
export type Sums = Omit<Tally, "surveyId" | "key" | "shared" | "firstAt" | "lastAt">;

const emptySums = (): Sums => ({
  counts: Array<number>(11).fill(0),
  imported: 0,
  withoutPerson: 0,
  sums: { people: 0, squaredWeights: 0, weightsTimesValues: 0, squaredValues: 0 },
  linearised: { people: 0, squares: 0 },
});

export const noAnswers = emptySums();

export interface Grouping {
  /** A key for each answer; `undefined` leaves it out. @param at when it was given */
  keyOf(cell: Cell, at: number): Key | undefined;
  /** Whether keys depend on the time. */
  isByTime?: boolean;
  /** What an answer adds to the sum of its person: factor * (value - mean). Default: nothing. */
  residualOf?(cell: Cell, key: Key, isOfRun: boolean): Linearisation | undefined;
  /** The key of the group with which the others of its survey are compared. */
  baseline?: Key;
}

/** A tally that is being added up. */
interface Group extends Tally {
  values: readonly number[];
  /** The baseline of its survey. */
  compared: Group | undefined;
  /** Sums over the answers of the person who is being read. */
  person: { weight: number; value: number; residual: number | undefined };
}

/** Adds an answer to the sums of its person. @returns whether it is the first of the person in this group */
function addAnswer(group: Group, answers: Answers, answer: number, residual: Linearisation | undefined) {
  const { person } = group;
  const rating = answers.rating(answer);
  const [value, at] = [group.values[rating]!, answers.at[answer]!];
  group.counts[rating]! += 1;
  if (answers.isImported(answer)) group.imported += 1;
  if (answers.person[answer]! >= answers.firstUnknown) group.withoutPerson += 1;
  if (at < group.firstAt) group.firstAt = at;
  if (at > group.lastAt) group.lastAt = at;
  person.weight += 1;
  person.value += value;
  if (residual) person.residual = (person.residual ?? 0) + residual.factor * (value - residual.mean);
  return person.weight === 1;
}

function addPerson({ sums, linearised, shared, compared, person }: Group): void {
  const { weight, value, residual } = person;
  sums.people += 1;
  sums.squaredWeights += weight ** 2;
  sums.weightsTimesValues += weight * value;
  sums.squaredValues += value ** 2;
  if (residual === undefined) return;
  linearised.people += 1;
  linearised.squares += residual ** 2;
  const other = compared?.person.residual;
  if (other === undefined) return;
  shared.people += 1;
  shared.products += residual * other;
}

/** Groups of one grouping, made as they are met. */
function emptyGroups(values: RatingValues, baseline: Key | undefined) {
  const bySurvey = new Map<string, Map<Key, Group>>();
  const groupOf = (surveyId: string, key: Key): Group => {
    const ofSurvey = bySurvey.get(surveyId) ?? new Map<Key, Group>();
    bySurvey.set(surveyId, ofSurvey);
    const known = ofSurvey.get(key);
    if (known) return known;
    const isBaseline = baseline === undefined || key === baseline;
    const group: Group = {
      surveyId,
      key,
      values: values.get(surveyId) ?? [],
      compared: isBaseline ? undefined : groupOf(surveyId, baseline!),
      ...emptySums(),
      shared: { people: 0, products: 0 },
      firstAt: Infinity,
      lastAt: -Infinity,
      person: { weight: 0, value: 0, residual: undefined },
    };
    ofSurvey.set(key, group);
    return group;
  };
  return { bySurvey, groupOf };
}

/** The group of each answer, or nothing. Groups that depend on the cell alone are looked up once for each. */
function groupFinder(
  { cells, cell, at }: Answers,
  groups: ReturnType<typeof emptyGroups>,
  { keyOf, isByTime }: Grouping,
) {
  const find = (own: Cell, time: number) => {
    const key = keyOf(own, time);
    return key === undefined ? undefined : groups.groupOf(own.surveyId, key);
  };
  if (isByTime) return (answer: number) => find(cells[cell[answer]!]!, at[answer]!);
  const ofCells = cells.map((own) => find(own, 0));
  return (answer: number) => ofCells[cell[answer]!];
}

/** Residuals by group and cell, looked up once for each pair that has answers: most cells are of one group. */
function residualFinder({ cells }: Answers, { residualOf }: Grouping) {
  if (!residualOf) return () => undefined;
  const known = new Map<Group, Map<number, Linearisation | undefined>>();
  return (group: Group, cell: number, isOfRun: boolean) => {
    let ofGroup = known.get(group);
    if (!ofGroup) known.set(group, (ofGroup = new Map()));
    const place = 2 * cell + Number(isOfRun);
    if (!ofGroup.has(place)) ofGroup.set(place, residualOf(cells[cell]!, group.key, isOfRun));
    return ofGroup.get(place);
  };
}

/** Adds answers up by survey and group, and within these by person. */
export function tally(answers: Answers, values: RatingValues, grouping: Grouping): Tally[] {
  const { size, person, cell } = answers;
  const groups = emptyGroups(values, grouping.baseline);
  const groupOf = groupFinder(answers, groups, grouping);
  const residualOf = residualFinder(answers, grouping);
  for (let answer = 0; answer < size;) {
    const touched: Group[] = [];
    const one = person[answer];
    for (; answer < size && person[answer] === one; answer++) {
      const group = groupOf(answer);
      if (!group) continue;
      const residual = residualOf(group, cell[answer]!, answers.isOfRun(answer));
      if (addAnswer(group, answers, answer, residual)) touched.push(group);
    }
    touched.forEach(addPerson);
    for (const group of touched) group.person = { weight: 0, value: 0, residual: undefined };
  }
  const all = [...groups.bySurvey.values()].flatMap((ofSurvey) => [...ofSurvey.values()]);
  return all.filter(({ sums }) => sums.people > 0);
}
