import { stringify } from "csv-stringify/sync";
import { timestamp } from "../domain/ids-and-times.ts";
import { exportRowText } from "../domain/export-responses.ts";
import { type ExportedResponse } from "../store/records.ts";

/** The formats of `responses export`. */
export const exportFormats = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const columns = [
  "id",
  "surveyId",
  "surveyVersion",
  "respondentId",
  "rating",
  "text",
  "followUpRequested",
  "at",
  "source",
  "traits",
];

/** CSV (RFC 4180). Cells that a spreadsheet would read as a formula begin with `'`. */
function csv(records: readonly (readonly unknown[] | object)[]): string {
  const cast = { boolean: String };
  return stringify([...records], { columns, cast, escape_formulas: true, record_delimiter: "windows" });
}

/** The heading line, or an empty string for formats without one. */
export const exportHeading = (format: ExportFormat): string => (format === "csv" ? csv([columns]) : "");

/** Rows as text ending with a line break; traits are JSON in both formats. */
export function exportText(rows: readonly ExportedResponse[], format: ExportFormat): string {
  if (format === "csv") return csv(rows.map((row) => ({ ...row, at: timestamp(row.at) })));
  return rows.map((row) => `${exportRowText(row)}\n`).join("");
}
