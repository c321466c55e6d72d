import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Sua opinião",
  close: "Fechar",
  send: "Enviar",
  skip: "Pular a pergunta",
  sending: "Enviando…",
  stored: "Obrigado pela sua opinião.",
  queued: "Sua resposta ainda não foi enviada. Continuaremos tentando.",
  already: "Você já respondeu a isto.",
  refused: "Não foi possível enviar sua resposta.",
  unsent: "Seu texto não foi enviado. Pressione de novo para fechar sem enviar.",
  followUpRequest: "Vocês podem entrar em contato comigo sobre isso",
  privacy: "Privacidade",
  badge: "Desenvolvido com Afterword",
  nps: ["Nada provável", "Muito provável"],
  csat: ["Muito insatisfeito", "Insatisfeito", "Neutro", "Satisfeito", "Muito satisfeito"],
  ces: ["Muito difícil", "Muito fácil"],
  pmf: ["Nada decepcionado", "Um pouco decepcionado", "Muito decepcionado"],
};

export const thumbs: ThumbsTexts = {
  up: "Boa resposta",
  down: "Resposta ruim",
  why: "O que deu errado?",
  details: "Adicionar detalhes (opcional)",
  undo: "Desfazer",
  reasons: ["Não está correta", "Incompleta", "Não foi o que pedi", "Difícil de entender"],
};
