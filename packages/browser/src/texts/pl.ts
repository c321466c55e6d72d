import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Opinia",
  close: "Zamknij",
  send: "Wyślij",
  skip: "Pomiń pytanie",
  sending: "Wysyłanie…",
  stored: "Dziękujemy za opinię.",
  queued: "Odpowiedź nie została jeszcze wysłana. Będziemy próbować dalej.",
  already: "Już udzielono odpowiedzi na to pytanie.",
  refused: "Niestety nie udało się wysłać odpowiedzi.",
  unsent: "Tekst nie został wysłany. Naciśnij ponownie, aby zamknąć bez wysyłania.",
  followUpRequest: "Możecie się ze mną skontaktować w tej sprawie",
  privacy: "Prywatność",
  badge: "Działa dzięki Afterword",
  nps: ["Bardzo mało prawdopodobne", "Bardzo prawdopodobne"],
  csat: ["Bardzo źle", "Źle", "Przeciętnie", "Dobrze", "Bardzo dobrze"],
  ces: ["Bardzo trudno", "Bardzo łatwo"],
  pmf: ["Bez rozczarowania", "Lekkie rozczarowanie", "Duże rozczarowanie"],
};

export const thumbs: ThumbsTexts = {
  up: "Dobra odpowiedź",
  down: "Zła odpowiedź",
  why: "Co było nie tak?",
  details: "Dodaj szczegóły (opcjonalnie)",
  undo: "Cofnij",
  reasons: ["Niepoprawna", "Niepełna", "Nie o to prosiłem(-am)", "Trudna do zrozumienia"],
};
