/** Asks for the one survey of a preview. Loaded by a classic script tag, before the widget. */
{
  interface Given {
    survey: { id: string; slug: string };
    respondentId: string;
    sessionId: string;
    token?: string;
    isThumbs: boolean;
  }
  type Afterword = ((...call: unknown[]) => void) & { q?: unknown[][] };
  const page = window as unknown as { afterword: Afterword };
  const { survey, respondentId, sessionId, token, isThumbs } = JSON.parse(
    document.body.dataset["given"]!,
  ) as Given;
  const note = document.getElementById("note")!;

  const say = (text: string, action: string, act: () => void) => {
    const button = document.createElement("button");
    button.textContent = action;
    button.addEventListener("click", act);
    note.replaceChildren(text, button);
  };
  const again = () => location.reload();

  page.afterword = (...call) => void (page.afterword.q ??= []).push(call);
  page.afterword("identify", respondentId);
  if (token !== undefined) page.afterword("install", { surveyId: survey.id, token, sessionId });
  if (!isThumbs) page.afterword("ask", survey.slug);
  if (isThumbs && token === undefined) say("No token was minted: the log says why.", "Try again", again);

  document.addEventListener("afterword:notShown", (event) => {
    const { reason } = (event as CustomEvent<{ reason: string }>).detail;
    if (isThumbs || reason === "superseded") return;
    say(`Not shown (${reason}); the log says why.`, "Draw it anyway, sending nothing", () => {
      note.replaceChildren();
      page.afterword("preview", survey);
    });
  });
  document.addEventListener("afterword:closed", () => say("Answered or closed.", "Ask a new person", again));
}
