import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "Återkoppling",
  close: "Stäng",
  send: "Skicka",
  skip: "Hoppa över",
  sending: "Skickar…",
  stored: "Tack för din återkoppling.",
  queued: "Du verkar vara offline. Ditt svar är sparat och skickas senare.",
  refused: "Ditt svar kunde tyvärr inte skickas.",
  followUpRequest: "Ni får kontakta mig om detta",
  privacy: "Integritet",
  badge: "Drivs av Afterword",
  nps: ["Inte alls troligt", "Mycket troligt"],
  csat: ["Mycket missnöjd", "Missnöjd", "Neutral", "Nöjd", "Mycket nöjd"],
  ces: ["Mycket svårt", "Mycket lätt"],
  pmf: ["Inte besviken", "Lite besviken", "Mycket besviken"],
};
