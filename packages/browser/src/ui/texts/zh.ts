import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "反馈",
  close: "关闭",
  send: "发送",
  skip: "跳过",
  sending: "正在发送…",
  stored: "感谢您的反馈。",
  queued: "您似乎已离线。您的回答已保存，稍后将会发送。",
  refused: "抱歉，您的回答未能发送。",
  followUpRequest: "可以就此与我联系",
  privacy: "隐私",
  badge: "由 Afterword 提供支持",
  nps: ["完全不可能", "非常可能"],
  csat: ["非常不满意", "不满意", "一般", "满意", "非常满意"],
  ces: ["非常困难", "非常容易"],
  pmf: ["不失望", "有点失望", "非常失望"],
};
