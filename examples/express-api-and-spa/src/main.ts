import { createAfterword } from "@afterword/browser";
import { defineThumbsElement } from "@afterword/browser/thumbs";

const { VITE_AFTERWORD_KEY: key, VITE_AFTERWORD_BASE_URL: baseUrl, VITE_API: api } = import.meta.env;

const afterword = createAfterword({ key, baseUrl, linkedOnly: true });
defineThumbsElement(afterword.rate);

const form = document.querySelector("form")!;
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const credentials = "include"; // the API's cookie, though the page has another origin
  const question = new FormData(form).get("question") as string;
  const answer = await fetch(`${api}/answer`, { method: "POST", credentials, body: question });
  const { text, person } = await answer.json();
  afterword.identify(person); // the respondent that the API mints for
  const thumbs = document.createElement("afterword-thumbs");
  form.before(text, thumbs);
  // 401 or 503: no token now. Nothing is asked, nothing is broken.
  const reply = await fetch(`${api}/feedback`, { method: "POST", credentials });
  if (!reply.ok) return;
  const { tokens, sessionId } = await reply.json();
  thumbs.setAttribute("survey-id", "answer");
  thumbs.setAttribute("session-id", sessionId);
  thumbs.setAttribute("token", tokens["answer"] ?? "");
});
