import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "Feedback",
  close: "Close",
  send: "Send",
  skip: "Skip",
  sending: "Sending…",
  stored: "Thank you for your feedback.",
  queued: "You seem to be offline. Your answer is saved and will be sent later.",
  refused: "Sorry, your answer could not be sent.",
  followUpRequest: "You may contact me about this",
  privacy: "Privacy",
  badge: "Powered by Afterword",
  nps: ["Not at all likely", "Extremely likely"],
  csat: ["Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied"],
  ces: ["Very difficult", "Very easy"],
  pmf: ["Not disappointed", "Somewhat disappointed", "Very disappointed"],
};
