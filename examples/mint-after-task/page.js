/* The page's half, with the two lines of the script tag. Call it when your server says that the task is done. */
export async function askAboutRun() {
  const reply = await fetch("/feedback", { method: "POST" });
  if (!reply.ok) return; // 401: not signed in; 503: no token now. Nothing is asked, nothing is broken.
  const { tokens, sessionId, observationId, taskType } = await reply.json();
  for (const [surveyId, token] of Object.entries(tokens)) {
    afterword("install", { surveyId, token, sessionId, observationId, taskType });
  }
  afterword("resolve"); // the outcome is confirmed: a survey with an automatic trigger asks now
}
