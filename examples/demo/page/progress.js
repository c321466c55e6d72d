const note = document.getElementById("note");
const score = document.getElementById("score");
const { sink } = document.body.dataset;

export function showNote(text) {
  note.textContent = text;
}

export function mark(step) {
  document.querySelector(`[data-step="${step}"]`).dataset.done = "";
}

export function resetProgress() {
  for (const item of document.querySelectorAll("[data-done]")) delete item.dataset.done;
  score.hidden = true;
  showNote("The agent is at work.");
}

/** Asks the server how far a stored rating has come, until it is acknowledged. */
export async function followProgress(sessionId, surveyId) {
  showNote("Rated. Watching it on its way.");
  mark("stored");
  // All tokens of the demo are bound to a session.
  mark("linked");
  for (;;) {
    const response = await fetch(`/progress/${sessionId}/${surveyId}`);
    const progress = await response.json();
    for (const step of ["pushed", "acknowledged"]) if (progress[step]) mark(step);
    if (progress.acknowledged) return showScore(progress.score);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

function showScore(stored) {
  showNote(`Arrived at ${sink}, acknowledged, and out of the queue.`);
  if (!stored) return;
  score.textContent = JSON.stringify(stored, null, 2);
  score.hidden = false;
}
