import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "Sua opinião",
  close: "Fechar",
  send: "Enviar",
  skip: "Pular",
  sending: "Enviando…",
  stored: "Obrigado pela sua opinião.",
  queued: "Parece que você está sem conexão. Sua resposta foi salva e será enviada mais tarde.",
  refused: "Não foi possível enviar sua resposta.",
  followUpRequest: "Vocês podem entrar em contato comigo sobre isso",
  privacy: "Privacidade",
  badge: "Desenvolvido com Afterword",
  nps: ["Nada provável", "Muito provável"],
  csat: ["Muito insatisfeito", "Insatisfeito", "Neutro", "Satisfeito", "Muito satisfeito"],
  ces: ["Muito difícil", "Muito fácil"],
  pmf: ["Nada decepcionado", "Um pouco decepcionado", "Muito decepcionado"],
};
