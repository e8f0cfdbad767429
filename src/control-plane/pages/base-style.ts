/** Colours, type and spacing of every page; light and dark by the reader's setting. */
export const baseStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #0f1318);
  --raised: light-dark(#f6f7f9, #161c23);
  --sunken: light-dark(#eef0f4, #0a0e12);
  --line: light-dark(#dfe3e9, #29323c);
  --ink: light-dark(#1a2129, #e3e8ee);
  --soft: light-dark(#566270, #97a4b2);
  --accent: light-dark(#0b63c5, #6cb0ff);
  --get: light-dark(#0a6b4e, #5fd3a8);
  --post: light-dark(#0b5fb8, #72b4ff);
  --put: light-dark(#8a5300, #f0b660);
  --delete: light-dark(#b3261e, #ff8f86);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15.5px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px; }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3, h4 { line-height: 1.25; letter-spacing: -0.012em; margin: 0; text-wrap: balance; }
code, pre { font-family: var(--mono); font-size: 0.875em; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem 1rem; z-index: 2; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
`;
