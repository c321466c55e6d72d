/** The style of the page of results; the rules for `.plot-d6a7b5` are those that Observable Plot needs of a page. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1d2330, #e8eaf0); --paper: light-dark(#fff, #14171f);
  --soft: light-dark(#566074, #a4acbd); --line: light-dark(#d9dde5, #333a48);
  --accent: light-dark(#3a55c4, #9db0ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 16px 48px; max-width: 1200px; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, p { margin: 0 0 8px; }
h1 { font-size: 28px; }
h2 { font-size: 20px; }
header p, .question, .note, .about { color: var(--soft); }
.note { font-size: 14px; }
section { padding: 24px 0; border-top: 1px solid var(--line); }
.score { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; }
.score strong { font-size: 32px; color: var(--accent); font-variant-numeric: tabular-nums; }
.warning { padding: 0 8px; border: 1px dashed var(--soft); border-radius: 4px; }
.warnings { margin: 0 0 8px; padding: 8px 12px 8px 32px; border: 1px dashed var(--soft); border-radius: 4px; }
h3 { margin: 16px 0 4px; font-size: 16px; }
.funnel { margin-bottom: 24px; }
.funnel { overflow-wrap: normal; }
.funnel th { font-weight: 400; }
.funnel th, .funnel .count { white-space: nowrap; }
.funnel .exit meter { opacity: 0.4; }
.funnel .count { text-align: end; }
meter { appearance: none; display: block; width: clamp(40px, 24vw - 40px, 280px); height: 12px; border: 0; background: none; }
meter::-webkit-meter-bar { height: 12px; border: 0; border-radius: 2px; background: var(--line); }
meter::-webkit-meter-optimum-value { background: var(--accent); border-radius: 2px; }
meter::-moz-meter-bar { background: var(--accent); }
.figures { display: grid; gap: 24px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; }
summary { color: var(--soft); font-size: 14px; padding: 6px 0; }
.plot { overflow-x: auto; }
.plot-d6a7b5 { display: block; width: 100%; min-width: 440px; max-width: 640px; height: auto; font-size: 12px; }
.plot-d6a7b5 text, .plot-d6a7b5 tspan { white-space: pre; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; text-align: start; border-bottom: 1px solid var(--line); }
.filters { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
select, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: 4px;
  padding: 4px 8px; min-height: 32px; }
button { font-size: 13px; }
option { color: CanvasText; background: Canvas; }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
.comments { list-style: none; padding: 0; margin: 0; }
.comments li { padding: 12px 0; border-top: 1px solid var(--line); }
blockquote { margin: 4px 0; white-space: pre-wrap; }
.about { font-size: 14px; margin: 0; }
.id { margin-inline-end: 16px; }
a { color: inherit; }
[hidden] { display: none; }
@media print { * { print-color-adjust: exact; } body { max-width: none; padding: 0; } .filters, button { display: none; } figure, .comments li { break-inside: avoid; } }
`;

/** Filters the comments and copies ids; without it all comments are shown. */
export const pageScript = `
const rating = document.getElementById("rating"), taskType = document.getElementById("task-type");
const comments = [...document.querySelectorAll(".comments > li")];
function filter() {
  let shown = 0;
  for (const one of comments) {
    one.hidden = (rating.value && one.dataset.rating !== rating.value)
      || (taskType.value && one.dataset.taskType !== taskType.value);
    if (!one.hidden) shown += 1;
  }
  document.getElementById("shown").textContent = shown + " of " + comments.length + " comments, newest first";
}
for (const one of [rating, taskType]) one?.addEventListener("change", filter);
document.addEventListener("click", async ({ target }) => {
  const text = target.dataset.copy;
  if (text === undefined) return;
  await navigator.clipboard.writeText(text);
  target.textContent = "Copied";
});
`;
