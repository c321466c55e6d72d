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
