import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Votre avis",
  close: "Fermer",
  send: "Envoyer",
  skip: "Passer la question",
  sending: "Envoi en cours…",
  stored: "Merci pour votre avis.",
  queued: "Votre réponse n’a pas encore été envoyée. Nous allons réessayer.",
  already: "Vous avez déjà répondu.",
  refused: "Désolé, votre réponse n’a pas pu être envoyée.",
  unsent: "Votre texte n’a pas été envoyé. Appuyez encore une fois pour fermer sans l’envoyer.",
  followUpRequest: "Vous pouvez me contacter à ce sujet",
  privacy: "Confidentialité",
  badge: "Propulsé par Afterword",
  nps: ["Pas du tout probable", "Très probable"],
  csat: ["Très insatisfait", "Insatisfait", "Neutre", "Satisfait", "Très satisfait"],
  ces: ["Très difficile", "Très facile"],
  pmf: ["Pas déçu", "Un peu déçu", "Très déçu"],
};

export const thumbs: ThumbsTexts = {
  up: "Bonne réponse",
  down: "Mauvaise réponse",
  why: "Qu’est-ce qui n’allait pas ?",
  details: "Ajouter des détails (facultatif)",
  undo: "Annuler",
  reasons: ["Incorrecte", "Incomplète", "Pas ce que j’ai demandé", "Difficile à comprendre"],
};
