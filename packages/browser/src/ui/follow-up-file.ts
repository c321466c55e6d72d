import type { LoadWords } from "../core/survey-view.ts";
import type { FollowUpModule } from "./follow-up.tsx";

export type FetchFollowUp = (load?: LoadWords) => Promise<FollowUpModule>;

/** Fetches the UI that follows the choice of a rating. */
export const fetchFollowUp: FetchFollowUp = () => import("./follow-up.tsx");
