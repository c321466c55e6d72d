import { People } from "./people.ts";
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

/** Columns: numbers of a million answers take 17 MB, rows would take a few hundred. */
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

const chunkSize = 2 ** 16;

/** Columns in chunks, so that growing copies nothing. */
class Chunks {
  readonly #chunks: Columns[] = [];
  size = 0;

  add(person: number, cell: number, mark: number, at: number): void {
    const place = this.size++ % chunkSize;
    if (place === 0) this.#chunks.push(columnsOf(chunkSize));
    const chunk = this.#chunks.at(-1)!;
    chunk.person[place] = person;
    chunk.cell[place] = cell;
    chunk.mark[place] = mark;
    chunk.at[place] = at;
  }

  /** In one, by person, in linear time. @param known how many have numbers from 0 on; the others have -1, -2, … */
  sorted(known: number, unknown: number): Columns {
    const own = columnsOf(this.size);
    const places = new Int32Array(known + unknown + 1);
    const numberOf = (person: number) => (person < 0 ? known - 1 - person : person);
    const each = (visit: (chunk: Columns, row: number) => void) => {
      for (let row = 0; row < this.size; row++) visit(this.#chunks[row >>> 16]!, row % chunkSize);
    };
    each(({ person }, row) => void (places[numberOf(person[row]!) + 1]! += 1));
    for (let index = 1; index < places.length; index++) places[index]! += places[index - 1]!;
    each(({ person, cell, mark, at }, row) => {
      const number = numberOf(person[row]!);
      const place = places[number]!++;
      own.person[place] = number;
      own.cell[place] = cell[row]!;
      own.mark[place] = mark[row]!;
      own.at[place] = at[row]!;
    });
    return own;
  }
}

/** The chosen rows of columns. */
function picked({ person, cell, mark, at }: Columns, rows: Int32Array): Columns {
  const own = columnsOf(rows.length);
  for (const [index, row] of rows.entries()) {
    own.person[index] = person[row]!;
    own.cell[index] = cell[row]!;
    own.mark[index] = mark[row]!;
    own.at[index] = at[row]!;
  }
  return own;
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
    const people = new People();
    const chunks = new Chunks();
    let unknown = 0;
    for await (const rows of parts)
      for (const row of rows) {
        const [person, mark, at] = row;
        const number = person === null ? -++unknown : people.numberOf(person);
        chunks.add(number, cells.indexOf(row), mark, at);
      }
    return new Answers(cells.list, chunks.sorted(people.size, unknown), people.size);
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
