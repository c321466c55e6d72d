import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

const send = "Send";
const stored = "Thank you for your feedback.";
const queued = "Your answer has not been sent yet. We will keep trying.";
const already = "You have already answered this.";
const refused = "Sorry, your answer could not be sent.";
export const texts: SurveyTexts = {
  region: "Feedback",
  close: "Close",
  send,
  skip: "Skip this question",
  sending: "Sending…",
  stored,
  queued,
  already,
  refused,
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

/** Includes the survey texts that the thumbs need, so that their file bundles no others. */
export const thumbs = {
  send,
  stored,
  queued,
  already,
  refused,
  up: "Good answer",
  down: "Bad answer",
  why: "What went wrong?",
  details: "Add details (optional)",
  undo: "Undo",
  reasons: ["Not correct", "Incomplete", "Not what I asked for", "Hard to follow"],
} as const satisfies ThumbsTexts & Partial<SurveyTexts>;
