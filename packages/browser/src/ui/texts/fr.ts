import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "Votre avis",
  close: "Fermer",
  send: "Envoyer",
  skip: "Passer",
  sending: "Envoi en cours…",
  stored: "Merci pour votre avis.",
  queued: "Vous semblez être hors ligne. Votre réponse est enregistrée et sera envoyée plus tard.",
  refused: "Désolé, votre réponse n’a pas pu être envoyée.",
  followUpRequest: "Vous pouvez me contacter à ce sujet",
  privacy: "Confidentialité",
  badge: "Propulsé par Afterword",
  nps: ["Pas du tout probable", "Très probable"],
  csat: ["Très insatisfait", "Insatisfait", "Neutre", "Satisfait", "Très satisfait"],
  ces: ["Très difficile", "Très facile"],
  pmf: ["Pas déçu", "Un peu déçu", "Très déçu"],
};
