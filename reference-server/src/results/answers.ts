import { importedMark, runMark, type AnswerRow, type Dimension, type Key } from "../store/store.ts";

/** What many answers have in common. */
export interface Cell {
  surveyId: string;
  /** By the names of the dimensions that were read; a fact has the name `fact`. */
  values: Readonly<Record<string, Key>>;
}

type Node = Map<Key, Node | number>;

const nameOf = (dimension: Dimension): string => (typeof dimension === "string" ? dimension : "fact");

/** Finds the cell of a row, and makes it for the first one. */
class Cells {
  readonly list: Cell[] = [];
  readonly #names: string[];
  readonly #root: Node = new Map();

  constructor(dimensions: readonly Dimension[]) {
    this.#names = dimensions.map(nameOf);
  }

  indexOf([, , , surveyId, ...values]: AnswerRow): number {
    let node = this.#root;
    const path = [surveyId, ...values];
    const last = path.pop()!;
    for (const key of path) {
      let next = node.get(key) as Node | undefined;
      if (!next) node.set(key, (next = new Map()));
      node = next;
    }
    const known = node.get(last) as number | undefined;
    if (known !== undefined) return known;
    node.set(last, this.list.length);
    const named = this.#names.map((name, index) => [name, values[index]!]);
    return this.list.push({ surveyId, values: Object.fromEntries(named) as Cell["values"] }) - 1;
  }
}

/** Columns that grow: numbers of a million answers take a few megabytes, rows would take a few hundred. */
interface Columns {
  person: Int32Array;
  cell: Int32Array;
  mark: Uint8Array;
  at: Float64Array;
}

const columnsOf = (size: number): Columns => ({
  person: new Int32Array(size),
  cell: new Int32Array(size),
  mark: new Uint8Array(size),
  at: new Float64Array(size),
});

function grown(columns: Columns): Columns {
  const larger = columnsOf(2 * columns.at.length);
  larger.person.set(columns.person);
  larger.cell.set(columns.cell);
  larger.mark.set(columns.mark);
  larger.at.set(columns.at);
  return larger;
}

/** The chosen rows of columns, in the order of `rows`. */
function picked({ person, cell, mark, at }: Columns, rows: Int32Array): Columns {
  const own = columnsOf(rows.length);
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!;
    own.person[index] = person[row]!;
    own.cell[index] = cell[row]!;
    own.mark[index] = mark[row]!;
    own.at[index] = at[row]!;
  }
  return own;
}

/** Numbers of rows, sorted by their person, in linear time. */
function byPerson(person: Int32Array, size: number, people: number): Int32Array {
  const places = new Int32Array(people + 1);
  for (let row = 0; row < size; row++) places[person[row]! + 1]! += 1;
  for (let index = 1; index <= people; index++) places[index]! += places[index - 1]!;
  const rows = new Int32Array(size);
  for (let row = 0; row < size; row++) rows[places[person[row]!]!++] = row;
  return rows;
}

/**
 * The answers of a period, read once, person by person: grouping them in different ways then costs milliseconds, and none of
 * it depends on how many groups there are.
 */
export class Answers {
  readonly cells: readonly Cell[];
  /** Of each answer: its place in `cells`, … */
  readonly cell: Int32Array;
  /** … a number for its person, in ascending order, … */
  readonly person: Int32Array;
  /** … when it was given, in milliseconds since 1970, … */
  readonly at: Float64Array;
  readonly #mark: Uint8Array;
  /** The first number of those who are not known; each has one answer. */
  readonly firstUnknown: number;

  private constructor(cells: readonly Cell[], columns: Columns, firstUnknown: number) {
    this.cells = cells;
    this.cell = columns.cell;
    this.person = columns.person;
    this.at = columns.at;
    this.#mark = columns.mark;
    this.firstUnknown = firstUnknown;
  }

  static async read(
    parts: AsyncIterable<readonly AnswerRow[]>,
    dimensions: readonly Dimension[],
  ): Promise<Answers> {
    const cells = new Cells(dimensions);
    const people = new Map<string, number>();
    let [size, unknown] = [0, 0];
    let columns = columnsOf(1024);
    for await (const rows of parts)
      for (const row of rows) {
        const [person, mark, at] = row;
        if (size === columns.at.length) columns = grown(columns);
        let known = person === null ? -++unknown : people.get(person);
        if (known === undefined) people.set(person!, (known = people.size));
        columns.person[size] = known;
        columns.cell[size] = cells.indexOf(row);
        columns.mark[size] = mark;
        columns.at[size] = at;
        size += 1;
      }
    const known = people.size;
    for (let row = 0; row < size; row++)
      if (columns.person[row]! < 0) columns.person[row] = known - 1 - columns.person[row]!;
    const sorted = picked(columns, byPerson(columns.person, size, known + unknown));
    return new Answers(cells.list, sorted, known);
  }

  get size(): number {
    return this.at.length;
  }

  rating(answer: number): number {
    return this.#mark[answer]! % importedMark;
  }

  isImported(answer: number): boolean {
    return (this.#mark[answer]! & importedMark) > 0;
  }

  /** Whether it is a measured answer to a minted token, which is bound to a run. */
  isOfRun(answer: number): boolean {
    return (this.#mark[answer]! & runMark) > 0;
  }

  /** Those from a moment on, and before another one. */
  within(since: number, until: number): Answers {
    const rows = new Int32Array(this.size);
    let count = 0;
    for (let answer = 0; answer < this.size; answer++)
      if (this.at[answer]! >= since && this.at[answer]! < until) rows[count++] = answer;
    const columns = { person: this.person, cell: this.cell, mark: this.#mark, at: this.at };
    return new Answers(this.cells, picked(columns, rows.subarray(0, count)), this.firstUnknown);
  }
}
