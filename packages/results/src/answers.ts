import { type AnswerRow, type Dimension, importedMark, type Key, runMark } from "./store/results-reader.ts";

/** What many answers have in common. */
export interface Cell {
  surveyId: string;
  /** The value of each dimension that was read, by its name; a fact has the name `fact`. */
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

/** Numbers in a typed array that doubles: those of a million answers take 8 MB, rows of texts a few hundred. */
class Column {
  #values = new Float64Array(1024);
  #size = 0;

  push(value: number): void {
    if (this.#size === this.#values.length) {
      const more = new Float64Array(2 * this.#size);
      more.set(this.#values);
      this.#values = more;
    }
    this.#values[this.#size++] = value;
  }

  get all(): Float64Array {
    return this.#values.subarray(0, this.#size);
  }
}

type Columns = Record<"person" | "cell" | "mark" | "at", ArrayLike<number>>;

/** The places of numbers in ascending order, in linear time. @param count how many numbers there are from 0 on */
function placesInOrder(numbers: Float64Array, count: number): Int32Array {
  const next = new Int32Array(count + 1);
  for (const number of numbers) next[number + 1]! += 1;
  for (let index = 1; index < next.length; index++) next[index]! += next[index - 1]!;
  const places = new Int32Array(numbers.length);
  numbers.forEach((number, place) => (places[next[number]!++] = place));
  return places;
}

/** The chosen rows of columns. */
function picked({ person, cell, mark, at }: Columns, rows: Int32Array) {
  const [marks, times] = [new Uint8Array(rows.length), new Float64Array(rows.length)];
  for (let index = 0; index < rows.length; index++) {
    marks[index] = mark[rows[index]!]!;
    times[index] = at[rows[index]!]!;
  }
  return {
    person: rows.map((row) => person[row]!),
    cell: rows.map((row) => cell[row]!),
    mark: marks,
    at: times,
  };
}

/**
 * The answers of a period, read once, person by person: grouping them in different ways then costs milliseconds, and none of
 * it depends on how many groups there are.
 */
export class Answers {
  readonly cells: readonly Cell[];
  /** The place of each answer in `cells`, … */
  readonly cell: Int32Array;
  /** … a number for its person, in ascending order, … */
  readonly person: Int32Array;
  /** … when it was given, in milliseconds since 1970, … */
  readonly at: Float64Array;
  readonly #mark: Uint8Array;
  /** The first number of those who are not known; each has one answer. */
  readonly firstUnknown: number;

  private constructor(cells: readonly Cell[], columns: ReturnType<typeof picked>, firstUnknown: number) {
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
    const numberOf = (id: string) => {
      const number = people.get(id) ?? people.size;
      if (number === people.size) people.set(id, number);
      return number;
    };
    const [persons, ofCells, marks, times] = [new Column(), new Column(), new Column(), new Column()];
    let unknown = 0;
    for await (const rows of parts)
      for (const row of rows) {
        const [person, mark, at] = row;
        persons.push(person === null ? -++unknown : numberOf(person));
        ofCells.push(cells.indexOf(row));
        marks.push(mark);
        times.push(at);
      }
    // Those who are not known come after the others.
    const person = persons.all.map((number) => (number < 0 ? people.size - 1 - number : number));
    const rows = placesInOrder(person, people.size + unknown);
    const columns = { person, cell: ofCells.all, mark: marks.all, at: times.all };
    return new Answers(cells.list, picked(columns, rows), people.size);
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
