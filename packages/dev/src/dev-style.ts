import { pageStyle } from "@afterword/results";

/** The style of the page and of the previews in it: that of all pages, and what is theirs alone. */
export const devStyle = `${pageStyle}
:root { --well: light-dark(#f5f6f9, #1b1f29); --good: light-dark(#1b6e3c, #7fd6a0); --bad: light-dark(#a5281b, #ff9d90); }
body { max-width: 1320px; }
body:not(.preview) { counter-reset: step; }
h1 span, label span { color: var(--soft); font-weight: 400; }
h2 { display: flex; align-items: center; gap: 12px; counter-increment: step; }
h2::before { content: counter(step); flex: none; width: 32px; height: 32px; border-radius: 50%; color: var(--paper);
  background: var(--accent); font-size: 16px; line-height: 32px; text-align: center; }
section { padding: 24px 0; border: 0; }
section > p { color: var(--soft); }
a { color: var(--accent); }
button { cursor: pointer; background: var(--paper); border-color: var(--line); border-radius: 6px; }
button:hover { border-color: var(--soft); }
code, pre, textarea { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; }
pre, textarea { margin: 0; padding: 12px; width: 100%; color: inherit; background: var(--well); border: 0; white-space: pre-wrap; }
pre { tab-size: 2; }
textarea { display: block; resize: vertical; min-height: 140px; field-sizing: content; }
summary { min-height: 40px; padding: 8px 12px; cursor: pointer; }
iframe { display: block; width: 100%; height: 400px; border: 0; border-bottom: 1px solid var(--line); }
.choices { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 16px 0; }
.copyable { position: relative; }
.copyable > button { position: absolute; inset: 4px 4px auto auto; }
#survey-list, #snippets { border: 1px solid var(--line); border-radius: 8px; overflow: clip; }
#survey-list { display: flex; flex-wrap: wrap; }
.copyable + .copyable { border-top: 1px solid var(--line); }
.survey { display: contents; }
.survey > label { position: relative; padding: 10px 12px 6px; border-bottom: 2px solid transparent; font-size: 14px; }
.survey > label:has(:checked) { border-color: var(--accent); }
.survey > label:has(:focus-visible) { outline: 2px solid var(--ink); outline-offset: -2px; }
.survey input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
#survey-list > .copyable, .survey > div { order: 1; flex: 0 0 100%; min-width: 0; border-top: 1px solid var(--line); }
.survey:not(:has(:checked)) > div { display: none; }
.state { min-height: 21px; margin: 4px 12px; font-size: 14px; color: var(--good); }
.state.wrong { color: var(--bad); }
aside ol { list-style: none; margin: 0; padding: 0; font-size: 14px; overflow-y: auto; max-height: 440px; }
aside li { padding: 6px 0; border-top: 1px solid var(--line); }
aside pre { border-radius: 6px; }
time { color: var(--soft); font-variant-numeric: tabular-nums; }
li strong { margin: 0 6px; }
.kind-stored strong, .kind-delivered strong, .kind-shown strong { color: var(--good); }
.kind-not-shown strong, .kind-refused strong, .kind-failed strong { color: var(--bad); }
#entries:has(li) + #quiet { display: none; }
#lost { position: fixed; inset: auto 16px 16px; margin: 0; padding: 12px 16px; background: var(--bad); color: var(--paper); border-radius: 6px; }
.preview { padding: 16px; min-height: 100vh; }
.preview p { font-size: 14px; color: var(--soft); }
.preview button { margin-inline-start: 8px; }
.preview .message { padding: 10px 14px; border-radius: 10px; color: var(--ink); background: var(--well); font-size: 16px; }
@media (max-width: 600px) {
  label span { display: none; }
}
@media (min-width: 1100px) {
  body:not(.preview) { display: grid; grid-template-columns: minmax(0, 1fr) 380px; gap: 0 40px; }
  header { grid-column: 1 / -1; border-bottom: 1px solid var(--line); }
  aside { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; }
}
`;
