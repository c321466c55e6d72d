import { type StoredAnswer } from "../store.ts";
import { build, rowsOf, type Work } from "./work.ts";

/** The answer that spent a token, for the first `most` calls (decision D120). Counts before it reads: calls at once get their turns. */
export function* answerToCompare(
  projectId: string,
  tokenId: Uint8Array,
  most: number,
): Work<StoredAnswer | undefined> {
  const counting = build
    .updateTable("spentTokens")
    .set(({ eb }) => ({ compared: eb("compared", "+", 1) }))
    .where("projectId", "=", projectId)
    .where("tokenId", "=", tokenId)
    .where("kind", "=", "response")
    .where("recordId", "is not", null)
    .where("compared", "<", most);
  const [spent] = yield* rowsOf(counting.returning("recordId"));
  if (!spent?.recordId) return undefined;
  const answers = build.selectFrom("responses").select(["rating", "text"]);
  const [answer] = yield* rowsOf(answers.where("id", "=", spent.recordId));
  return answer;
}
