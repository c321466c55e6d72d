import { type ExportedResponse } from "../store/store.ts";
import { timestamp } from "./ids-and-times.ts";

/** A row of an export as JSON. */
export function exportRowText({ traits, at, ...row }: ExportedResponse): string {
  const fields = JSON.stringify({ ...row, at: timestamp(at) });
  // Traits are stored as the JSON they are sent as: parsing them only to write them again would be wasted.
  return `${fields.slice(0, -1)},"traits":${traits ?? "null"}}`;
}
