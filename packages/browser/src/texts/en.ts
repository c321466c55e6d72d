import type { SurveyTexts, ThumbsTexts } from "../core/public/index.ts";

/** What thumbs say, too: their file bundles no other texts of a survey. */
const ofBoth = {
  send: "Send",
  stored: "Thank you for your feedback.",
  queued: "Your answer has not been sent yet. We will keep trying.",
  already: "You have already answered this.",
  refused: "Sorry, your answer could not be sent.",
} as const;
export const texts: SurveyTexts = {
  ...ofBoth,
  region: "Feedback",
  close: "Close",
  skip: "Skip this question",
  sending: "Sending…",
  unsent: "Your text has not been sent. Press again to close without it.",
  followUpRequest: "You may contact me about this",
  privacy: "Privacy",
  badge: "Powered by Afterword",
  nps: ["Not at all likely", "Extremely likely"],
  csat: ["Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied"],
  ces: ["Very difficult", "Very easy"],
  pmf: ["Not disappointed", "Somewhat disappointed", "Very disappointed"],
  thumbs: ["Bad answer", "Good answer"],
};

export const thumbs = {
  ...ofBoth,
  up: "Good answer",
  down: "Bad answer",
  why: "What went wrong?",
  details: "Add details (optional)",
  undo: "Undo",
  reasons: ["Not correct", "Incomplete", "Not what I asked for", "Hard to follow"],
} as const satisfies ThumbsTexts & Partial<SurveyTexts>;
