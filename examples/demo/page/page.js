import { followProgress, mark, resetProgress, showNote } from "./progress.js";

const { visitor } = document.body.dataset;
const messages = document.getElementById("messages");
const form = document.getElementById("task");
const input = document.getElementById("request");
let sessionId;

afterword("identify", visitor);
afterword("on", "shown", () => {
  mark("asked");
  showNote("The agent is done, and you are asked.");
});
afterword("on", "submitted", ({ result, surveyId }) => {
  if (result === "stored") void followProgress(sessionId, surveyId);
});
afterword("on", "delivered", ({ surveyId }) => followProgress(sessionId, surveyId));
afterword("on", "dismissed", () =>
  showNote("You closed the survey. That is remembered too: it stays away for a week. The thumbs stay."),
);
afterword("on", "error", ({ message }) => showNote(`The widget reports: ${message}`));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void sendTask(input.value);
  form.reset();
});
for (const button of document.querySelectorAll(".suggestions button")) {
  button.addEventListener("click", () => sendTask(button.textContent));
}
document.getElementById("newcomer").addEventListener("click", () => location.reload());

/** Sends a task to the agent and shows its steps and its answer as they arrive. */
async function sendTask(request) {
  afterword("task");
  resetProgress();
  addMessage("person", request);
  const surveyId = document.querySelector("input[name=survey]:checked").value;
  const body = JSON.stringify({ visitor, surveyId, request });
  const response = await fetch("/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) show(JSON.parse(line), surveyId);
  }
}

function show({ step, outcome, thumbs, feedback }, surveyId) {
  if (step) addMessage("step", `${step.tool}(${JSON.stringify(step.input)}): ${step.result}`);
  if (outcome) addMessage("agent", outcome.answer);
  if (thumbs) messages.lastElementChild.append(thumbsFor(thumbs));
  if (feedback) ask(feedback, surveyId);
  if (feedback === null)
    showNote("Not asked: this visitor has closed the survey, which stays away for a week.");
}

/** The task's outcome is confirmed: hand the token to the widget and let it ask. */
function ask(feedback, surveyId) {
  sessionId = feedback.sessionId;
  afterword("install", feedback);
  afterword("resolve");
  afterword("ask", surveyId);
}

/** Two buttons under the answer that the person may press at any time. */
function thumbsFor({ surveyId, token, sessionId, taskType }) {
  const thumbs = document.createElement("afterword-thumbs");
  const attributes = { "survey-id": surveyId, token, "session-id": sessionId, "task-type": taskType };
  for (const [name, value] of Object.entries(attributes)) thumbs.setAttribute(name, value);
  return thumbs;
}

function addMessage(who, text) {
  const item = document.createElement("li");
  item.className = who;
  item.textContent = text;
  messages.append(item);
  messages.scrollTop = messages.scrollHeight;
}
