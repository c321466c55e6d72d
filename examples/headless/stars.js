import { createHeadlessAfterword } from "@afterword/browser/headless";
const form = document.querySelector("form");
const afterword = createHeadlessAfterword({ ...document.body.dataset });

afterword.subscribe(() => {
  const shown = afterword.getSurvey();
  form.hidden = !shown;
  if (shown) form.querySelector("legend").textContent = shown.survey.question;
});
form.addEventListener("change", ({ target }) => afterword.getSurvey()?.rate(Number(target.value)));
form.addEventListener("reset", () => afterword.getSurvey()?.dismiss());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const shown = afterword.getSurvey();
  const result = await shown.submit({ rating: Number(new FormData(form).get("stars")) });
  document.querySelector("[role=status]").textContent = result === "stored" ? "Thank you!" : "";
  shown.done();
});
