import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Tu opinión",
  close: "Cerrar",
  send: "Enviar",
  skip: "Omitir la pregunta",
  sending: "Enviando…",
  stored: "Gracias por tu opinión.",
  queued: "Tu respuesta aún no se ha enviado. Lo seguiremos intentando.",
  already: "Ya has respondido a esto.",
  refused: "Lo sentimos, no se ha podido enviar tu respuesta.",
  unsent: "Tu texto no se ha enviado. Pulsa otra vez para cerrar sin enviarlo.",
  followUpRequest: "Podéis contactarme sobre esto",
  privacy: "Privacidad",
  badge: "Con tecnología de Afterword",
  nps: ["Nada probable", "Muy probable"],
  csat: ["Nada satisfecho", "Poco satisfecho", "Neutral", "Satisfecho", "Muy satisfecho"],
  ces: ["Muy difícil", "Muy fácil"],
  pmf: ["Nada decepcionado", "Algo decepcionado", "Muy decepcionado"],
};

export const thumbs: ThumbsTexts = {
  up: "Buena respuesta",
  down: "Mala respuesta",
  why: "¿Qué ha fallado?",
  details: "Añadir detalles (opcional)",
  undo: "Deshacer",
  reasons: ["No es correcta", "Incompleta", "No es lo que pedí", "Difícil de entender"],
};
