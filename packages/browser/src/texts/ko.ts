import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "피드백",
  close: "닫기",
  send: "보내기",
  skip: "이 질문 건너뛰기",
  sending: "보내는 중…",
  stored: "의견을 보내 주셔서 감사합니다.",
  queued: "답변이 아직 전송되지 않았습니다. 계속 다시 시도합니다.",
  already: "이미 답변하셨습니다.",
  refused: "죄송합니다. 답변을 보낼 수 없었습니다.",
  unsent: "입력한 내용이 전송되지 않았습니다. 다시 누르면 보내지 않고 닫습니다.",
  followUpRequest: "이와 관련하여 저에게 연락해도 됩니다",
  privacy: "개인정보 보호",
  badge: "Afterword 제공",
  nps: ["전혀 아니다", "매우 그렇다"],
  csat: ["매우 불만족", "불만족", "보통", "만족", "매우 만족"],
  ces: ["매우 어려움", "매우 쉬움"],
  pmf: ["아쉽지 않음", "조금 아쉬움", "매우 아쉬움"],
};

export const thumbs: ThumbsTexts = {
  up: "좋은 답변",
  down: "좋지 않은 답변",
  why: "무엇이 문제였나요?",
  details: "자세히 적기 (선택)",
  undo: "취소",
  reasons: ["정확하지 않음", "불완전함", "요청한 내용과 다름", "이해하기 어려움"],
};
