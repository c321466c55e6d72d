import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "رأيك",
  close: "إغلاق",
  send: "إرسال",
  skip: "تخطٍّ",
  sending: "جارٍ الإرسال…",
  stored: "شكرًا على ملاحظاتك.",
  queued: "لم يتم إرسال إجابتك بعد. سنعيد المحاولة.",
  already: "لقد أجبت عن هذا من قبل.",
  refused: "عذرًا، تعذّر إرسال إجابتك.",
  unsent: "لم يُرسَل ما كتبته. اضغط مرة أخرى للإغلاق دون إرساله.",
  followUpRequest: "يمكنكم التواصل معي بهذا الشأن",
  privacy: "الخصوصية",
  badge: "مدعوم من Afterword",
  nps: ["غير محتمل إطلاقًا", "محتمل جدًا"],
  csat: ["غير راضٍ إطلاقًا", "غير راضٍ", "محايد", "راضٍ", "راضٍ جدًا"],
  ces: ["صعب جدًا", "سهل جدًا"],
  pmf: ["لن أشعر بخيبة أمل", "بعض خيبة الأمل", "خيبة أمل كبيرة"],
};

export const thumbs: ThumbsTexts = {
  up: "إجابة جيدة",
  down: "إجابة سيئة",
  why: "ما الخطأ؟",
  reasons: ["غير صحيحة", "غير مكتملة", "ليست ما طلبته", "يصعب فهمها"],
};
