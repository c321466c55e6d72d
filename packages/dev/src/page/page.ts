import type { DeliverableScore } from "@afterword/node/forwarder";
import type { SurveyConfig } from "@afterword/reference-server";
import type { DevProject } from "../dev-config.ts";
import type { DevEntry } from "../dev-log.ts";
import { filled, pageSnippets, serverSnippets } from "./snippets.ts";

interface News {
  entries: DevEntry[];
  scores: DeliverableScore[];
}

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A fold, and beside its heading a button that copies the text in it. */
function copyable(heading: string, content: HTMLElement, text: () => string): HTMLElement {
  const summary = element("summary", {}, element("code", { textContent: heading }));
  const button = element("button", { type: "button", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return element("div", { className: "copyable" }, element("details", {}, summary, content), button);
}

/** The choice of stacks, remembered on this device. */
function drawSnippets({ publishableKey, secretKey }: DevProject): void {
  const given = { publishableKey, secretKey, baseUrl: location.origin };
  const selects = { "page-stack": pageSnippets, "server-stack": serverSnippets };
  const draw = () => {
    const chosen = Object.entries(selects).flatMap(([id, snippets]) =>
      Object.entries(snippets[byId<HTMLSelectElement>(id).value]!),
    );
    const blocks = chosen.map(([file, text]) => {
      const code = filled(text, given);
      return copyable(file, element("pre", { textContent: code }), () => code);
    });
    byId("snippets").replaceChildren(...blocks);
  };
  for (const [id, snippets] of Object.entries(selects)) {
    const select = byId<HTMLSelectElement>(id);
    select.append(...Object.keys(snippets).map((name) => element("option", { textContent: name })));
    const kept = localStorage.getItem(id);
    if (kept && Object.hasOwn(snippets, kept)) select.value = kept;
    select.addEventListener("change", () => {
      localStorage.setItem(id, select.value);
      draw();
    });
  }
  draw();
}

/** Shown while the server does not answer. */
const lost = byId("lost");

/** After the last key press: each stored change is a new version of the survey. */
const restInMs = 500;

/** A survey's name to choose it by, and its preview with the JSON that draws it, which are shown while it is chosen. */
function surveyCard(survey: SurveyConfig, index: number): HTMLElement {
  const radio = element("input", { type: "radio", name: "survey", checked: index === 0 });
  const choice = element("label");
  const entitle = ({ id, type, presentation }: SurveyConfig) =>
    choice.replaceChildren(radio, id, " ", element("span", { textContent: `${type}, ${presentation}` }));
  entitle(survey);
  const editor = element("textarea", {
    value: JSON.stringify(survey, undefined, 2),
    spellcheck: false,
    ariaLabel: `JSON of ${survey.id}`,
  });
  const state = element("p", { className: "state", role: "status" });
  const frame = element("iframe", { title: `Preview of ${survey.id}`, loading: "lazy" });
  const redraw = () => (frame.src = `/dev/preview/${index}`);
  redraw();
  const save = async () => {
    const reply = await fetch(`/dev/data/surveys/${index}`, { method: "PUT", body: editor.value });
    const { problem, survey: saved } = (await reply.json()) as { problem?: string; survey?: SurveyConfig };
    state.classList.toggle("wrong", problem !== undefined);
    state.textContent = problem ?? "Stored in .afterword/config.json and drawn.";
    if (!saved) return;
    entitle(saved);
    redraw();
  };
  let timer: ReturnType<typeof setTimeout>;
  editor.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void save().catch(() => (lost.hidden = false)), restInMs);
  });
  const json = copyable("Edit its JSON", element("div", {}, editor, state), () => editor.value);
  return element("div", { className: "survey" }, choice, element("div", {}, frame, json));
}

const firstLook = `html {
  color-scheme: light dark;
  --afterword-accent: light-dark(#1d5bd6, #8ab4ff);
  --afterword-radius: 14px;
}`;

/** CSS that every preview has, as the page of a customer would, so that colours are seen before they are copied. Kept on this device. */
function drawLook(): void {
  const editor = element("textarea", {
    value: localStorage.getItem("look") ?? firstLook,
    spellcheck: false,
    ariaLabel: "CSS of the previews",
  });
  const apply = ({ contentWindow }: HTMLIFrameElement) => {
    // Of the frame's own realm, and no style element, which the policy of the page refuses.
    const sheet = new (contentWindow as Window & typeof globalThis).CSSStyleSheet();
    sheet.replaceSync(editor.value);
    contentWindow!.document.adoptedStyleSheets = [sheet];
  };
  const frames = document.querySelectorAll<HTMLIFrameElement>("#survey-list iframe");
  for (const frame of frames) frame.addEventListener("load", () => apply(frame));
  editor.addEventListener("input", () => {
    localStorage.setItem("look", editor.value);
    frames.forEach(apply);
  });
  byId("survey-list").append(copyable("Try the CSS of your page", editor, () => editor.value));
}

function logLine({ at, kind, text }: DevEntry): HTMLElement {
  const time = element("time", { dateTime: at, textContent: new Date(at).toLocaleTimeString() });
  const line = element("li", { className: `kind-${kind.replace(" ", "-")}` }, time);
  line.append(element("strong", { textContent: kind }), text);
  return line;
}

/** The id of the newest one. */
let knownScore: string | undefined;

function drawNews({ entries, scores }: News): void {
  byId("entries").prepend(...entries.toReversed().map(logLine));
  if (scores[0]?.id === knownScore) return;
  knownScore = scores[0]?.id;
  const items = scores.map((score, index) => {
    const summary = element("summary", { textContent: `${score.name}: ${score.rating}` });
    const json = element("pre", { textContent: JSON.stringify(score, undefined, 2) });
    return element("li", {}, element("details", { open: index === 0 }, summary, json));
  });
  byId("score-list").replaceChildren(...items);
}

const pollEveryInMs = 1000;

async function follow(): Promise<void> {
  for (let last = 0; ;) {
    try {
      const news = (await (await fetch(`/dev/data/news?after=${last}`)).json()) as News;
      lost.hidden = true;
      last = news.entries.at(-1)?.number ?? last;
      drawNews(news);
    } catch {
      lost.hidden = false;
    }
    await new Promise((resolve) => setTimeout(resolve, pollEveryInMs));
  }
}

const project = (await (await fetch("/dev/data/project")).json()) as DevProject & { isForwarding: boolean };
drawSnippets(project);
byId("survey-list").append(...project.surveys.map(surveyCard));
drawLook();
byId("forwarding").textContent = project.isForwarding
  ? "What your observability service would get; here it goes to memory."
  : "Nothing is forwarded (--no-forward): scores wait in the queue for a forwarder of your own.";
void follow();
