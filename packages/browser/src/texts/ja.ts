import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "フィードバック",
  close: "閉じる",
  send: "送信",
  skip: "この質問をスキップ",
  sending: "送信中…",
  stored: "ご意見ありがとうございました。",
  queued: "回答はまだ送信されていません。自動的に再送信します。",
  already: "すでに回答済みです。",
  refused: "申し訳ありません。回答を送信できませんでした。",
  unsent: "入力した内容は送信されていません。もう一度押すと、送信せずに閉じます。",
  followUpRequest: "この件について連絡してもかまいません",
  privacy: "プライバシー",
  badge: "Powered by Afterword",
  nps: ["まったく思わない", "非常にそう思う"],
  csat: ["とても不満", "不満", "どちらでもない", "満足", "とても満足"],
  ces: ["とても難しい", "とても簡単"],
  pmf: ["残念ではない", "やや残念", "非常に残念"],
};

export const thumbs: ThumbsTexts = {
  up: "良い回答",
  down: "良くない回答",
  why: "どこが問題でしたか？",
  details: "詳細を追加（任意）",
  undo: "取り消す",
  reasons: ["正しくない", "不十分", "求めた内容と違う", "わかりにくい"],
};
