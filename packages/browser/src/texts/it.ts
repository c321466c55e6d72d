import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "La tua opinione",
  close: "Chiudi",
  send: "Invia",
  skip: "Salta la domanda",
  sending: "Invio in corso…",
  stored: "Grazie per la tua opinione.",
  queued: "La tua risposta non è ancora stata inviata. Continueremo a provare.",
  already: "Hai già risposto.",
  refused: "Spiacenti, non è stato possibile inviare la tua risposta.",
  unsent: "Il testo non è stato inviato. Premi di nuovo per chiudere senza inviarlo.",
  followUpRequest: "Potete contattarmi al riguardo",
  privacy: "Privacy",
  badge: "Realizzato con Afterword",
  nps: ["Per niente probabile", "Molto probabile"],
  csat: ["Molto insoddisfatto", "Insoddisfatto", "Neutrale", "Soddisfatto", "Molto soddisfatto"],
  ces: ["Molto difficile", "Molto facile"],
  pmf: ["Per niente deluso", "Un po’ deluso", "Molto deluso"],
};

export const thumbs: ThumbsTexts = {
  up: "Buona risposta",
  down: "Risposta scadente",
  why: "Che cosa non andava?",
  details: "Aggiungi dettagli (facoltativo)",
  undo: "Annulla",
  reasons: ["Non corretta", "Incompleta", "Non quello che ho chiesto", "Difficile da capire"],
};
