import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "Geri bildirim",
  close: "Kapat",
  send: "Gönder",
  skip: "Soruyu atla",
  sending: "Gönderiliyor…",
  stored: "Geri bildiriminiz için teşekkür ederiz.",
  queued: "Yanıtınız henüz gönderilmedi. Yeniden denenecek.",
  already: "Bunu zaten yanıtladınız.",
  refused: "Üzgünüz, yanıtınız gönderilemedi.",
  unsent: "Metniniz gönderilmedi. Göndermeden kapatmak için tekrar basın.",
  followUpRequest: "Bu konuda benimle iletişime geçebilirsiniz",
  privacy: "Gizlilik",
  badge: "Afterword ile hazırlandı",
  nps: ["Hiç olası değil", "Son derece olası"],
  csat: ["Hiç memnun değilim", "Memnun değilim", "Kararsızım", "Memnunum", "Çok memnunum"],
  ces: ["Çok zor", "Çok kolay"],
  pmf: ["Hayal kırıklığına uğramam", "Biraz hayal kırıklığına uğrarım", "Çok hayal kırıklığına uğrarım"],
};

export const thumbs: ThumbsTexts = {
  up: "İyi yanıt",
  down: "Kötü yanıt",
  why: "Sorun neydi?",
  details: "Ayrıntı ekle (isteğe bağlı)",
  undo: "Geri al",
  reasons: ["Doğru değil", "Eksik", "İstediğim bu değildi", "Anlaşılması zor"],
};
