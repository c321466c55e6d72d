import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "反馈",
  close: "关闭",
  send: "发送",
  skip: "跳过此问题",
  sending: "正在发送…",
  stored: "感谢您的反馈。",
  queued: "您的回答尚未发送，我们会继续重试。",
  already: "您已经回答过了。",
  refused: "抱歉，您的回答未能发送。",
  unsent: "您输入的内容尚未发送。再按一次将直接关闭，不发送。",
  followUpRequest: "可以就此与我联系",
  privacy: "隐私",
  badge: "由 Afterword 提供支持",
  nps: ["完全不可能", "非常可能"],
  csat: ["非常不满意", "不满意", "一般", "满意", "非常满意"],
  ces: ["非常困难", "非常容易"],
  pmf: ["不失望", "有点失望", "非常失望"],
};

export const thumbs: ThumbsTexts = {
  up: "回答得好",
  down: "回答得不好",
  why: "哪里有问题？",
  details: "补充说明（选填）",
  undo: "撤销",
  reasons: ["不正确", "不完整", "不是我要的", "难以理解"],
};
