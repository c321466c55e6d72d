import type { SurveyTexts } from "../../core/survey-texts.ts";

export const texts: SurveyTexts = {
  region: "Rückmeldung",
  close: "Schließen",
  send: "Senden",
  skip: "Überspringen",
  sending: "Wird gesendet …",
  stored: "Danke für Ihre Rückmeldung.",
  queued: "Sie sind offenbar offline. Ihre Antwort ist gespeichert und wird später gesendet.",
  refused: "Ihre Antwort konnte leider nicht gesendet werden.",
  followUpRequest: "Sie dürfen mich dazu kontaktieren",
  privacy: "Datenschutz",
  badge: "Mit Afterword gefragt",
  nps: ["Sehr unwahrscheinlich", "Sehr wahrscheinlich"],
  csat: ["Sehr unzufrieden", "Unzufrieden", "Neutral", "Zufrieden", "Sehr zufrieden"],
  ces: ["Sehr schwierig", "Sehr einfach"],
  pmf: ["Nicht enttäuscht", "Etwas enttäuscht", "Sehr enttäuscht"],
};
