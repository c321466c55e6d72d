import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "Feedback",
  close: "Close",
  send: "Send",
  skip: "Skip",
  sending: "Sending…",
  stored: "Thank you for your feedback.",
  queued: "Your answer has not been sent yet. We will keep trying.",
  refused: "Sorry, your answer could not be sent.",
  unsent: "Your text has not been sent. Press again to close without it.",
  followUpRequest: "You may contact me about this",
  privacy: "Privacy",
  badge: "Powered by Afterword",
  nps: ["Not at all likely", "Extremely likely"],
  csat: ["Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied"],
  ces: ["Very difficult", "Very easy"],
  pmf: ["Not disappointed", "Somewhat disappointed", "Very disappointed"],
};
