import { createHeadlessAfterword } from "/afterword/headless.js";

const form = document.querySelector("form");
const status = document.querySelector("[role=status]");
const afterword = createHeadlessAfterword({ ...document.body.dataset });

afterword.subscribe(() => {
  const shown = afterword.getSurvey();
  form.hidden = !shown;
  if (!shown) return;
  form.querySelector("legend").textContent = shown.survey.question;
  form.onchange = ({ target }) => shown.rate(Number(target.value));
  form.onreset = () => shown.dismiss();
  form.onsubmit = async (event) => {
    event.preventDefault();
    const result = await shown.submit({ rating: Number(new FormData(form).get("stars")) });
    status.textContent = { stored: "Thank you!", queued: "Kept until you are online." }[result] ?? "";
    shown.done();
  };
});
