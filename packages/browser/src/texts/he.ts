import type { SurveyTexts, ThumbsTexts } from "../core/survey/index.ts";

export const texts: SurveyTexts = {
  region: "משוב",
  close: "סגירה",
  send: "שליחה",
  skip: "דילוג על השאלה",
  sending: "בשליחה…",
  stored: "תודה על המשוב.",
  queued: "התשובה עדיין לא נשלחה. ננסה שוב.",
  already: "כבר ענית על כך.",
  refused: "מצטערים, לא ניתן היה לשלוח את התשובה.",
  unsent: "הטקסט לא נשלח. לחצו שוב כדי לסגור בלי לשלוח אותו.",
  followUpRequest: "אפשר ליצור איתי קשר בנושא זה",
  privacy: "פרטיות",
  badge: "מופעל על ידי Afterword",
  nps: ["בכלל לא סביר", "סביר מאוד"],
  csat: ["ממש לא מרוצה", "לא מרוצה", "ניטרלי", "מרוצה", "מרוצה מאוד"],
  ces: ["קשה מאוד", "קל מאוד"],
  pmf: ["ללא אכזבה", "אכזבה מסוימת", "אכזבה גדולה"],
};

export const thumbs: ThumbsTexts = {
  up: "תשובה טובה",
  down: "תשובה לא טובה",
  why: "מה לא היה בסדר?",
  details: "פרטים נוספים (לא חובה)",
  undo: "ביטול",
  reasons: ["לא נכונה", "לא מלאה", "לא מה שביקשתי", "קשה להבנה"],
};
