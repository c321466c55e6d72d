import { type Service, type SurveyRecord } from "@afterword/reference-server/internal";
import { finding, type Finding } from "../store/administration.ts";

/** Mentions suggested reasons of a survey without any follow-up question: only thumbs have a field for them. */
export function examineSuggestions({ projectId, slug, definition }: SurveyRecord): Finding[] {
  const { translations = {}, ...own } = definition;
  const words = [own, ...Object.values(translations)];
  const hasQuestion = words.some((one) => one.followUpQuestion ?? one.followUpQuestions);
  if (hasQuestion || !words.some((one) => one.suggestions)) return [];
  const found = "has no followUpQuestion, so that only thumbs show its reasons: the survey has no text field";
  return [finding(`suggestions of ${projectId}/${slug}`, true, found)];
}

/** The same for all active surveys. */
export const examineAllSuggestions = ({ directory }: Service): Finding[] =>
  directory.projects.flatMap(({ activeSurveys }) => activeSurveys.flatMap(examineSuggestions));
