const note = document.getElementById("note");
const score = document.getElementById("score");
const { sink } = document.body.dataset;

export function tell(text) {
  note.textContent = text;
}

export function mark(step) {
  document.querySelector(`[data-step="${step}"]`).dataset.done = "";
}

export function resetProgress() {
  for (const item of document.querySelectorAll("[data-done]")) delete item.dataset.done;
  score.hidden = true;
  tell("The agent is at work.");
}

/** Asks the server where a rating that is stored has come to, until it has been acknowledged. */
export async function followProgress(sessionId, surveyId) {
  tell("Rated. Watching it on its way.");
  mark("stored");
  // Each token of the demo is minted for a session.
  mark("linked");
  for (;;) {
    const response = await fetch(`/progress/${sessionId}/${surveyId}`);
    const progress = await response.json();
    for (const step of ["pushed", "acknowledged"]) if (progress[step]) mark(step);
    if (progress.acknowledged) return arrived(progress.score);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

function arrived(stored) {
  tell(`Arrived at ${sink}, acknowledged, and out of the queue.`);
  if (!stored) return;
  score.textContent = JSON.stringify(stored, null, 2);
  score.hidden = false;
}
