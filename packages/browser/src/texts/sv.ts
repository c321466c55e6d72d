import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Återkoppling",
  close: "Stäng",
  send: "Skicka",
  skip: "Hoppa över frågan",
  sending: "Skickar…",
  stored: "Tack för din återkoppling.",
  queued: "Ditt svar har inte skickats ännu. Vi försöker igen.",
  already: "Du har redan svarat på det här.",
  refused: "Ditt svar kunde tyvärr inte skickas.",
  unsent: "Din text har inte skickats. Tryck igen för att stänga utan att skicka den.",
  followUpRequest: "Ni får kontakta mig om detta",
  privacy: "Integritet",
  badge: "Drivs av Afterword",
  nps: ["Inte alls troligt", "Mycket troligt"],
  csat: ["Mycket missnöjd", "Missnöjd", "Neutral", "Nöjd", "Mycket nöjd"],
  ces: ["Mycket svårt", "Mycket lätt"],
  pmf: ["Inte besviken", "Lite besviken", "Mycket besviken"],
};

export const thumbs: ThumbsTexts = {
  up: "Bra svar",
  down: "Dåligt svar",
  why: "Vad blev fel?",
  details: "Lägg till detaljer (valfritt)",
  undo: "Ångra",
  reasons: ["Inte korrekt", "Ofullständigt", "Inte det jag bad om", "Svårt att förstå"],
};
