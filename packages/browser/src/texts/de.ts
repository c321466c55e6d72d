import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Rückmeldung",
  close: "Schließen",
  send: "Senden",
  skip: "Frage überspringen",
  sending: "Wird gesendet …",
  stored: "Danke für Ihre Rückmeldung.",
  queued: "Ihre Antwort ist noch nicht gesendet. Wir versuchen es weiter.",
  already: "Das haben Sie bereits beantwortet.",
  refused: "Ihre Antwort konnte leider nicht gesendet werden.",
  unsent: "Ihr Text ist nicht gesendet. Noch einmal drücken, um ohne ihn zu schließen.",
  followUpRequest: "Sie dürfen mich dazu kontaktieren",
  privacy: "Datenschutz",
  badge: "Mit Afterword gefragt",
  nps: ["Sehr unwahrscheinlich", "Sehr wahrscheinlich"],
  csat: ["Sehr unzufrieden", "Unzufrieden", "Neutral", "Zufrieden", "Sehr zufrieden"],
  ces: ["Sehr schwierig", "Sehr einfach"],
  pmf: ["Nicht enttäuscht", "Etwas enttäuscht", "Sehr enttäuscht"],
};

export const thumbs: ThumbsTexts = {
  up: "Gute Antwort",
  down: "Schlechte Antwort",
  why: "Was war nicht gut?",
  details: "Details (optional)",
  undo: "Rückgängig",
  reasons: ["Nicht richtig", "Unvollständig", "Nicht, was ich wollte", "Schwer verständlich"],
};
