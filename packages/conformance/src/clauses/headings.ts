/** The headings of the contract that clauses cite, in its order. */
export const headings = [
  "1. Purpose",
  "2. Shapes",
  "2.1 SurveyDefinition",
  "2.2 Show-token",
  "2.3 Suppression",
  "2.4 ResponseBody",
  "2.5 DismissalBody",
  "2.6 IngestOk",
  "2.7 PendingScore",
  "2.8 ExportRow",
  "2.9 EraseReply",
  "3. States",
  "3.1 Show-token",
  "3.2 Score",
  "3.3 Survey",
  "4. Endpoints",
  "4.1 `POST /v1/sdk/bootstrap`",
  "4.2 `POST /v1/sdk/responses`",
  "4.3 `POST /v1/dismissals`",
  "4.4 `POST /v1/sdk/tokens`",
  "4.5 `GET /v1/sdk/pending-scores`",
  "4.6 `POST /v1/sdk/pending-scores/ack`",
  "4.7 `GET /v1/privacy/export`",
  "4.8 `DELETE /v1/privacy/erase`",
  "4.9 Aliases",
  "4.10 `POST /v1/sdk/tokens/check`",
  "4.11 `POST /v1/shown`",
  "5. Authentication",
  "6. Events",
  "7. Errors",
  "8. Limits",
  "9. Versions",
  "Extensions",
  "Words of a survey",
  "Reasons of failed scores",
  "Runs",
  "What was stored",
  "Reasons of a mint",
  "Reports",
  "Leases",
  "Targeting and sampling",
] as const;

/** The name of a section: its number, or its heading where it has none. */
export const sectionOf = (heading: string): string => /^(\d+(?:\.\d+)?)\.? /.exec(heading)?.[1] ?? heading;

/** Where a section is on the contract's page. */
export function anchorOf(section: string): string {
  const heading = headings.find((one) => sectionOf(one) === section) ?? section;
  return `#${heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")}`;
}
