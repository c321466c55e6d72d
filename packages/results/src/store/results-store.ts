import { type MeasuredAnswer, type MeasuredSelection } from "./measured-answers.ts";
import { type ResultsReader } from "./results-reader.ts";

/** A database that results are read from. */
export interface ResultsStore {
  /** Reads results from one consistent state, which the reader is for as long as `read` takes. */
  readResults<T>(read: (reader: ResultsReader) => Promise<T>): Promise<T>;
  /** Measured answers of a survey in the order of their times, without holding a state or keeping requests waiting. */
  measuredAnswers(selection: MeasuredSelection): AsyncIterable<MeasuredAnswer>;
}
