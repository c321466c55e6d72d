/** What all pages of the program share: the colours, light and dark, and the plain elements. */
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
h3 { margin: 16px 0 4px; font-size: 16px; }
header p, .note { color: var(--soft); }
.note { font-size: 14px; }
section { padding: 24px 0; border-top: 1px solid var(--line); }
select, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: 4px;
  padding: 4px 8px; min-height: 32px; }
button { font-size: 13px; }
option, optgroup { color: CanvasText; background: Canvas; }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
a { color: inherit; }
[hidden] { display: none; }
`;

export const reportStyle = `${pageStyle}
:root { --good: light-dark(#0f766e, #5fd0c0); --bad: light-dark(#b3361b, #ff9b82); --low: light-dark(#d67d68, #b8604a);
  --middle: light-dark(#c9ced8, #565f72); --high: light-dark(#4fa89d, #2f8278); }
small, .about { color: var(--soft); font-size: 14px; }
.up { color: var(--good); }
.down { color: var(--bad); }
.up::before, .down::before { content: ""; display: inline-block; margin-inline-end: 6px; vertical-align: 1px;
  border: 6px solid transparent; border-top-width: 0; border-bottom: 10px solid currentColor; }
.down::before { rotate: 180deg; }
.unclear, .unknown { font-weight: 400; }
.incomplete::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-inline: 40px 6px;
  border: 2px solid var(--accent); border-radius: 50%; }
.flag { padding: 0 8px; border: 1px dashed var(--soft); border-radius: 4px; font-size: 14px; white-space: nowrap; }
.verdict { margin: 0 0 20px; font-size: 20px; line-height: 1.4; text-wrap: pretty; }
.overview { padding: 16px 0 24px; border: 0; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; text-align: start; border-bottom: 1px solid var(--line); }
.surveys { width: 100%; font-size: 16px; line-height: 1.35; }
.surveys th, .surveys td { padding: 12px 24px 12px 0; vertical-align: middle; }
.many .surveys th, .many .surveys td { padding-block: 8px; }
.surveys thead th { padding: 4px 24px 4px 0; color: var(--soft); font-size: 14px; font-weight: 400; }
.surveys small { display: block; font-weight: 400; }
.surveys .value, .surveys .answers, .surveys .up, .surveys .down { white-space: nowrap; }
.surveys th[scope=row] { width: 32%; font-weight: 600; }
.surveys th a { text-decoration: none; }
.surveys th a:hover { text-decoration: underline; }
.surveys .value strong, .score strong { font-size: 28px; line-height: 1.1; font-variant-numeric: tabular-nums; }
.surveys tbody tr:last-child > * { border: 0; }
.surveys .trend { width: 160px; padding-inline-end: 0; }
.warnings { margin: 0 0 8px; padding: 8px 12px 8px 32px; border: 1px dashed var(--soft); border-radius: 4px; }
.figures { display: grid; gap: 24px 32px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); margin-top: 16px; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 4px; }
summary { color: var(--soft); font-size: 14px; padding: 6px 0; }
.plot { display: block; width: 100%; max-width: 440px; height: auto; font-size: 12px; fill: var(--accent); }
.trend .plot { width: 160px; }
.plot text { fill: currentColor; }
.plot line, .plot circle, .plot polyline { stroke: var(--accent); stroke-width: 2; }
.plot polygon { fill-opacity: 0.15; }
.plot polyline { fill: none; }
.plot .partial { fill: var(--paper); }
.plot .grid { stroke: currentColor; stroke-opacity: 0.1; stroke-width: 1; }
.plot .goal { stroke: currentColor; stroke-dasharray: 4 3; stroke-width: 1; }
.plot .interval { stroke-opacity: 0.25; stroke-width: 1; }
.group .interval { stroke-opacity: 0.3; stroke-width: 6; }
.group text:first-of-type { font-weight: 600; }
.group text:last-of-type { fill: var(--soft); }
.thirds { display: block; width: 100%; max-width: 440px; height: 28px; margin: 4px 0 8px; }
.low { fill: var(--low); color: var(--low); }
.middle { fill: var(--middle); color: var(--middle); }
.high { fill: var(--high); color: var(--high); }
i { display: inline-block; width: 12px; height: 12px; margin-inline-end: 8px; border-radius: 2px; background: currentColor; }
.groups { font-size: 16px; }
.groups th, .groups td { border: 0; padding: 2px 12px 2px 0; }
.groups th span { color: var(--ink); }
.groups td, .funnel .count { text-align: end; white-space: nowrap; }
.scroll { overflow-x: auto; }
.funnel { width: 100%; overflow-wrap: normal; }
.funnel .bar { width: 25%; }
.groups th, .funnel th { font-weight: 400; }
.funnel .count, .funnel td:last-child { white-space: nowrap; }
.funnel .exit meter { opacity: 0.4; }
meter { appearance: none; display: block; width: 100%; min-width: 40px; height: 12px; border: 0; background: none; }
meter::-webkit-meter-bar { height: 12px; border: 0; border-radius: 2px; background: var(--line); }
meter::-webkit-meter-optimum-value { background: var(--accent); border-radius: 2px; }
meter::-moz-meter-bar { background: var(--accent); }
.filters label, .filters select { min-width: 0; max-width: 100%; }
.filters { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
.comments { list-style: none; padding: 0; margin: 0; max-width: 800px; }
.comments li { padding: 12px 0; border-top: 1px solid var(--line); }
.comments .about strong { color: var(--ink); }
blockquote { margin: 4px 0; white-space: pre-wrap; }
.about { margin: 0 0 8px; }
.id { margin-inline-end: 16px; }
.id button { min-height: 24px; padding: 0 4px; border: 0; text-decoration: underline; cursor: pointer; }
@media screen and (max-width: 820px) {
  .verdict { font-size: 17px; }
  .surveys, .surveys tbody, .surveys th[scope=row], .surveys td { display: block; }
  .surveys thead { display: none; }
  .surveys tr { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 16px; padding: 12px 0; border-bottom: 1px solid var(--line); }
  .surveys th[scope=row], .surveys td { width: auto; padding: 0; border: 0; min-width: 0; }
  .surveys .value, .surveys .up, .surveys .down { white-space: normal; }
  .surveys th[scope=row] { grid-column: 1 / -1; }
}
@media print {
  * { print-color-adjust: exact; }
  @page { margin: 12mm; }
  body { max-width: none; padding: 0; font-size: 11px; }
  h1 { font-size: 20px; }
  h2 { font-size: 14px; }
  .verdict { margin: 0 0 8px; font-size: 15px; }
  .filters, button, figure details, summary, .screen { display: none; }
  .of-survey details::details-content, .plots::details-content { content-visibility: visible; display: block; }
  figure, .comments li, tr, section.survey { break-inside: avoid; }
  section { padding: 6px 0; }
  .overview { padding: 0; }
  small, .about, .note, .flag, .groups, .surveys, .surveys thead th { font-size: 11px; }
  .surveys th, .surveys td, .many .surveys th, .many .surveys td { padding: 3px 10px 3px 0; overflow-wrap: normal; }
  .surveys .up, .surveys .down { white-space: normal; }
  .surveys .trend, .surveys .trend .plot { width: 110px; }
  .surveys .value strong, .score strong { font-size: 18px; }
  section p, .warnings, .survey h2 { margin-bottom: 2px; }
  .warnings { padding: 2px 8px 2px 24px; }
  .figures { grid-template-columns: repeat(3, 1fr); gap: 16px; margin: 8px 0 0; }
  .many .survey { display: grid; grid-template-columns: 1fr 2fr; gap: 16px; }
  .many .figures { grid-template-columns: 1fr 200px; margin: 0; }
  .many .by-week, .many .summary { display: none; }
  .many h2 { font-size: 12px; }
  .many .warnings { padding-block: 0; border: 0; }
  .plot { font-size: 14px; }
  .thirds { height: 16px; }
  .groups th, .groups td { padding-block: 0; }
  .appendix { break-before: page; border: 0; }
  .comments { max-width: none; columns: 2; column-gap: 24px; }
  .comments li { padding: 6px 0; }
}
`;

/** What a page of a project begins with. */
export const pageMark = (project: string): string =>
  `<!doctype html>\n<!-- Results of the project ${project}, by afterword-server -->\n`;

/** Filters the comments and copies ids; without it all comments are shown. */
export const pageScript = `
const filters = [...document.querySelectorAll(".filters select")];
const groups = [...document.querySelectorAll(".of-survey")];
const isShown = (comment) => filters.every(({ value, name }) => !value || comment.dataset[name].split(" ").includes(value));
function filter() {
  let all = 0, shown = 0;
  for (const group of groups) {
    const comments = [...group.querySelectorAll(".comments > li")];
    for (const comment of comments) comment.hidden = !isShown(comment);
    group.querySelector("details").open ||= filters.some(({ value }) => value);
    const left = comments.filter(({ hidden }) => !hidden).length;
    group.hidden = left === 0;
    all += comments.length;
    shown += left;
  }
  document.getElementById("shown").textContent = shown + " of " + all + " comments";
}
addEventListener("hashchange", () => {
  for (const one of document.querySelectorAll(":target > details")) one.open = true;
});
for (const one of filters) one.addEventListener("change", filter);
document.addEventListener("click", async ({ target }) => {
  const text = target.dataset.copy;
  if (text === undefined) return;
  await navigator.clipboard.writeText(text);
  target.textContent = "Copied";
});
`;
