document.querySelector("button").addEventListener("click", async () => {
  afterword("task"); // the agent works: nothing is asked
  const visitor = afterword("respondent")?.id; // undefined until the widget has loaded
  const body = JSON.stringify({ question: "Where is my order?", visitor });
  const headers = { "content-type": "application/json" };
  const reply = await fetch("/api/answer", { method: "POST", headers, body });
  const { text, run } = await reply.json();
  document.querySelector("p").textContent = text;
  for (const [surveyId, token] of Object.entries(run.tokens)) {
    afterword("install", { surveyId, token, sessionId: run.sessionId });
  }
  afterword("resolve"); // the task is done
  afterword("ask", "satisfaction");
});
