import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Feedback",
  close: "Sluiten",
  send: "Versturen",
  skip: "Vraag overslaan",
  sending: "Wordt verstuurd…",
  stored: "Bedankt voor je feedback.",
  queued: "Je antwoord is nog niet verstuurd. We blijven het proberen.",
  already: "Je hebt dit al beantwoord.",
  refused: "Je antwoord kon helaas niet worden verstuurd.",
  unsent: "Je tekst is niet verstuurd. Druk nog een keer om te sluiten zonder te versturen.",
  followUpRequest: "Jullie mogen hierover contact met me opnemen",
  privacy: "Privacy",
  badge: "Mogelijk gemaakt door Afterword",
  nps: ["Zeer onwaarschijnlijk", "Zeer waarschijnlijk"],
  csat: ["Zeer ontevreden", "Ontevreden", "Neutraal", "Tevreden", "Zeer tevreden"],
  ces: ["Heel moeilijk", "Heel makkelijk"],
  pmf: ["Niet teleurgesteld", "Enigszins teleurgesteld", "Erg teleurgesteld"],
};

export const thumbs: ThumbsTexts = {
  up: "Goed antwoord",
  down: "Slecht antwoord",
  why: "Wat ging er mis?",
  details: "Licht toe (optioneel)",
  undo: "Ongedaan maken",
  reasons: ["Niet juist", "Onvolledig", "Niet wat ik vroeg", "Moeilijk te volgen"],
};
