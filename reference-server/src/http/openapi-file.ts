import { stringify } from "yaml";
import { endpoints, openApiDocument } from "@afterword/protocol";

let text: string | undefined;

/** The OpenAPI document as YAML, generated once per process from the table of endpoints (decision D61). */
export function openApiFile(): string {
  text ??= stringify(openApiDocument(endpoints), { aliasDuplicateObjects: false });
  return text;
}
