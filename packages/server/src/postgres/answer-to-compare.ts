import { type StoredAnswer } from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";

/** The answer that spent a token, for the first `most` calls (decision D120). Counts before it reads: calls at once get their turns. */
export async function answerToCompare(
  queries: Queries,
  projectId: string,
  tokenId: Uint8Array,
  most: number,
): Promise<StoredAnswer | undefined> {
  const spent = await queries
    .updateTable("spentTokens")
    .set(({ eb }) => ({ compared: eb("compared", "+", 1) }))
    .where("projectId", "=", projectId)
    .where("tokenId", "=", tokenId)
    .where("kind", "=", "response")
    .where("recordId", "is not", null)
    .where("compared", "<", most)
    .returning("recordId")
    .executeTakeFirst();
  if (!spent?.recordId) return undefined;
  const answers = queries.selectFrom("responses").select(["rating", "text"]);
  return answers.where("id", "=", spent.recordId).executeTakeFirst();
}
