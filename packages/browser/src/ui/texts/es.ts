import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "Tu opinión",
  close: "Cerrar",
  send: "Enviar",
  skip: "Omitir",
  sending: "Enviando…",
  stored: "Gracias por tu opinión.",
  queued: "Parece que no tienes conexión. Tu respuesta se ha guardado y se enviará más tarde.",
  refused: "Lo sentimos, no se ha podido enviar tu respuesta.",
  followUpRequest: "Podéis contactarme sobre esto",
  privacy: "Privacidad",
  badge: "Con tecnología de Afterword",
  nps: ["Nada probable", "Muy probable"],
  csat: ["Nada satisfecho", "Poco satisfecho", "Neutral", "Satisfecho", "Muy satisfecho"],
  ces: ["Muy difícil", "Muy fácil"],
  pmf: ["Nada decepcionado", "Algo decepcionado", "Muy decepcionado"],
};
