/* The page's half, beside the script tag of index.html. */
afterword("identify", "person-page"); // who is signed in: the respondent that your server mints for

document.querySelector("button").addEventListener("click", async ({ target }) => {
  afterword("task"); // the agent works: nothing is asked
  const reply = await fetch("/task", { method: "POST", body: target.textContent });
  document.querySelector("output").textContent = await reply.text();
  await askAboutRun();
});

/** Call it when your server says that the task is done. */
async function askAboutRun() {
  const reply = await fetch("/feedback", { method: "POST" });
  if (!reply.ok) return; // 401: not signed in; 503: no token now. Nothing is asked, nothing is broken.
  const { tokens, sessionId, observationId, taskType } = await reply.json();
  for (const [surveyId, token] of Object.entries(tokens)) {
    afterword("install", { surveyId, token, sessionId, observationId, taskType });
  }
  afterword("resolve"); // the outcome is confirmed: a survey with an automatic trigger asks now
}
