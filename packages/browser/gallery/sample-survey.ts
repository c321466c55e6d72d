import type { SurveyDefinition, SurveyType } from "@afterword/protocol";

type Words = Pick<SurveyDefinition, "question" | "followUpQuestion">;

const english: Record<SurveyType, Words> = {
  nps: {
    question: "How likely are you to recommend our travel agent to a friend?",
    followUpQuestion: "What is the main reason for your score?",
  },
  csat: {
    question: "How satisfied are you with how the agent booked your trip?",
    followUpQuestion: "What could the agent have done better?",
  },
  ces: {
    question: "How easy was it to get your trip booked?",
    followUpQuestion: "What made it harder than it should be?",
  },
  pmf: {
    question: "How would you feel if you could no longer use the travel agent?",
    followUpQuestion: "What would you miss most?",
  },
};

const arabic: Words = {
  question: "ما مدى رضاك عن الطريقة التي حجز بها الوكيل رحلتك؟",
  followUpQuestion: "ما الذي كان بإمكان الوكيل فعله بشكل أفضل؟",
};

/** A survey such as a customer would write it. */
export function sampleSurvey(
  type: SurveyType,
  language: string,
  rest: Partial<SurveyDefinition>,
): SurveyDefinition {
  return {
    id: `sample-${type}`,
    slug: `sample-${type}`,
    type,
    ...(language === "ar" ? arabic : english[type]),
    presentation: "corner",
    trigger: "manual",
    ...rest,
  };
}
