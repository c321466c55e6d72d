import { type AnswerRow, type Dimension, importedMark, type Key, runMark } from "./store/results-reader.ts";

/** What many answers have in common. */
export interface Cell {
  surveyId: string;
  /** The value of each dimension that was read, by its name; a fact has the name `fact`. */
  values: Readonly<Record<string, Key>>;
}

interface Node {
  /** The index of the cell whose keys end here. */
  cell?: number;
  next: Map<Key, Node>;
}

/** Finds the index of a row's cell in `cells`, to which the first row of a cell adds it. */
function cellFinder(dimensions: readonly Dimension[], cells: Cell[]) {
  const names = dimensions.map((dimension) => (typeof dimension === "string" ? dimension : "fact"));
  const root: Node = { next: new Map() };
  return ([, , , surveyId, ...values]: AnswerRow): number => {
    let node = root;
    for (const key of [surveyId, ...values]) {
      let next = node.next.get(key);
      if (!next) node.next.set(key, (next = { next: new Map() }));
      node = next;
    }
    const named = () => Object.fromEntries(names.map((name, index) => [name, values[index]!]));
    return (node.cell ??= cells.push({ surveyId, values: named() }) - 1);
  };
}

/**
 * The answers of a period, read once, person by person: grouping them in different ways then costs milliseconds, and none of
 * it depends on how many groups there are.
 */
export interface Answers {
  cells: readonly Cell[];
  size: number;
  /** The place of each answer in `cells`, … */
  cell: Int32Array;
  /** … a number for its person, in ascending order, … */
  person: Int32Array;
  /** … when it was given, in milliseconds since 1970. */
  at: Float64Array;
  /** The first number of those who are not known; each has one answer. */
  firstUnknown: number;
  rating(answer: number): number;
  isImported(answer: number): boolean;
  /** Whether it is a measured answer to a minted token, which is bound to a run. */
  isOfRun(answer: number): boolean;
  /** Those from a moment on, and before another one. */
  within(since: number, until: number): Answers;
}

type Columns = Record<"person" | "cell" | "mark" | "at", ArrayLike<number>>;

/** The places of numbers in ascending order, in linear time. @param count how many numbers there are from 0 on */
function placesInOrder(numbers: Int32Array, count: number): Int32Array {
  const next = new Int32Array(count + 1);
  for (const number of numbers) next[number + 1]! += 1;
  for (let index = 1; index < next.length; index++) next[index]! += next[index - 1]!;
  const places = new Int32Array(numbers.length);
  numbers.forEach((number, place) => (places[next[number]!++] = place));
  return places;
}

/** The chosen rows of columns. */
function picked(columns: Columns, rows: Int32Array) {
  const [mark, at] = [new Uint8Array(rows.length), new Float64Array(rows.length)];
  rows.forEach((row, index) => {
    mark[index] = columns.mark[row]!;
    at[index] = columns.at[row]!;
  });
  return {
    person: rows.map((row) => columns.person[row]!),
    cell: rows.map((row) => columns.cell[row]!),
    mark,
    at,
  };
}

// Not part of `picked`: its closures would keep the unsorted columns in memory.
function createAnswers(
  columns: ReturnType<typeof picked>,
  cells: readonly Cell[],
  firstUnknown: number,
): Answers {
  const { person, cell, mark, at } = columns;
  return {
    cells,
    firstUnknown,
    size: at.length,
    person,
    cell,
    at,
    rating: (answer) => mark[answer]! % importedMark,
    isImported: (answer) => (mark[answer]! & importedMark) > 0,
    isOfRun: (answer) => (mark[answer]! & runMark) > 0,
    within(since, until) {
      const chosen = new Int32Array(at.length);
      let count = 0;
      for (let answer = 0; answer < at.length; answer++)
        if (at[answer]! >= since && at[answer]! < until) chosen[count++] = answer;
      return createAnswers(picked(columns, chosen.subarray(0, count)), cells, firstUnknown);
    },
  };
}

/** Reads all answers. @param dimensions the values of each row after its fourth */
export async function readAnswers(
  parts: AsyncIterable<readonly AnswerRow[]>,
  dimensions: readonly Dimension[],
): Promise<Answers> {
  const cells: Cell[] = [];
  const cellOf = cellFinder(dimensions, cells);
  const known = new Map<string, number>();
  const numberOf = (id: string) => {
    const number = known.get(id) ?? known.size;
    if (number === known.size) known.set(id, number);
    return number;
  };
  const [persons, ofCells, marks, times] = [[], [], [], []] as [number[], number[], number[], number[]];
  let unknown = 0;
  for await (const rows of parts)
    for (const row of rows) {
      persons.push(row[0] === null ? -++unknown : numberOf(row[0]));
      ofCells.push(cellOf(row));
      marks.push(row[1]);
      times.push(row[2]);
    }
  // Those who are not known come after the others.
  const person = new Int32Array(persons).map((number) => (number < 0 ? known.size - 1 - number : number));
  const rows = placesInOrder(person, known.size + unknown);
  const columns = { person, cell: ofCells, mark: marks, at: times };
  return createAnswers(picked(columns, rows), cells, known.size);
}
