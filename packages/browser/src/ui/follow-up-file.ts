import type { LoadWords } from "../core/survey-view.ts";
import type { FollowUpModule } from "./follow-up.tsx";

export type FetchFollowUp = (load?: LoadWords) => Promise<FollowUpModule>;

/** Fetches what a survey draws once a rating is chosen. */
export const fetchFollowUp: FetchFollowUp = () => import("./follow-up.tsx");
