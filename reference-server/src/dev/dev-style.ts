import { pageStyle } from "../results/page-style.ts";

/** The style of the page and of the previews in it: that of all pages, and what is theirs alone. */
export const devStyle = `${pageStyle}
:root { --well: light-dark(#f5f6f9, #1b1f29); --good: light-dark(#1b6e3c, #7fd6a0); --bad: light-dark(#a5281b, #ff9d90); }
html { scroll-padding-top: 16px; }
body { max-width: 1440px; }
ol { margin: 0; }
h1 span, h3 span { color: var(--soft); font-weight: 400; }
h3 { font-size: 16px; }
section > p { color: var(--soft); }
header .warning { padding: 8px 12px; border: 1px solid var(--bad); border-radius: 6px; color: var(--bad); font-size: 14px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 4px 0 16px; }
nav a { padding: 4px 0; }
a { color: var(--accent); }
code, pre, textarea { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; }
pre, textarea { margin: 0; padding: 12px; width: 100%; color: inherit; background: var(--well); border: 1px solid var(--line);
  border-radius: 0 0 6px 6px; overflow: auto; overflow-wrap: normal; }
pre { max-height: 480px; tab-size: 2; }
textarea { display: block; resize: vertical; min-height: 400px; white-space: pre; }
.bar { display: flex; align-items: center; justify-content: space-between; gap: 8px; padding: 4px 4px 4px 12px; min-height: 41px;
  border: 1px solid var(--line); border-bottom: 0; border-radius: 6px 6px 0 0; font-size: 14px; }
.choices { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 16px 0; }
button { cursor: pointer; }
#snippets, .survey { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); align-items: start; }
#snippets > div, .survey > * { min-width: 0; }
.survey { margin-bottom: 24px; }
.survey h3 { grid-column: 1 / -1; margin: 8px 0 0; }
iframe { display: block; width: 100%; height: 400px; border: 1px solid var(--line); border-radius: 0 0 6px 6px; }
#results iframe { height: 720px; border-radius: 6px; }
summary { min-height: 32px; cursor: pointer; }
#look textarea { min-height: 140px; margin-bottom: 16px; }
.state { min-height: 21px; margin: 4px 0 0; font-size: 14px; color: var(--good); }
.state.wrong { color: var(--bad); }
.switch { display: inline-flex; gap: 6px; align-items: center; min-height: 32px; font-size: 14px; color: var(--soft); }
aside ol { list-style: none; padding: 0; font-size: 14px; overflow-y: auto; max-height: 440px; }
aside li { padding: 6px 0; border-top: 1px solid var(--line); }
aside pre { border-radius: 6px; max-height: 320px; }
time { color: var(--soft); font-variant-numeric: tabular-nums; }
li strong { margin: 0 6px; }
.kind-stored strong, .kind-delivered strong, .kind-shown strong { color: var(--good); }
.kind-not-shown strong, .kind-refused strong, .kind-failed strong { color: var(--bad); }
#log:has(#with-previews:not(:checked)) .previewed, #log:has(#with-previews:checked) ol:has(li) + #quiet,
  #log ol:has(li:not(.previewed)) + #quiet { display: none; }
#lost { position: fixed; inset: auto 16px 16px; margin: 0; padding: 12px 16px; background: var(--bad); color: var(--paper); border-radius: 6px; }
.preview { padding: 16px; min-height: 100vh; background: var(--paper); }
.preview p { font-size: 14px; color: var(--soft); }
.preview button { margin-inline-start: 8px; }
.preview .message { padding: 10px 14px; border-radius: 10px; color: var(--ink); background: var(--well); font-size: 16px; }
@media (min-width: 1100px) {
  body:not(.preview) { display: grid; grid-template-columns: minmax(0, 1fr) 380px; gap: 0 32px; }
  header { grid-column: 1 / -1; }
  aside { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; }
  aside section { padding: 16px 0; }
  aside ol { max-height: calc(50vh - 120px); }
}
`;
