/** What dashboards and status pages share: colours of states, cards, chips; from a phone to a screen on the wall. */
export const publicStyle = `
:root {
  --ground: light-dark(#f3f5f8, #0b0f14);
  --card: light-dark(#ffffff, #131920);
  --ok: light-dark(#2fa36b, #3fbf86);
  --bad: light-dark(#d63a31, #f5655b);
  --warn: light-dark(#d9920a, #e9b144);
  --busy: light-dark(#3b7dd8, #6cb0ff);
  --none: light-dark(#dde2e8, #2a333d);
  --ok-ink: light-dark(#0d6e43, #5fd3a0);
  --bad-ink: light-dark(#b3261e, #ff8f86);
  --warn-ink: light-dark(#855400, #f0be62);
  --busy-ink: light-dark(#1c5bb0, #86bfff);
}
html { font-size: clamp(15px, .36vw + 10.4px, 20px); }
body { background: var(--ground); font-size: 1rem; line-height: 1.5; }
main, .top, .foot { width: 100%; max-width: var(--wide, none); margin: 0 auto; padding: 0 clamp(1rem, 2.4vw, 3rem); }
h1 { font-size: 1.6rem; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; font-weight: 650; margin: 0 0 .75rem; }
h3 { font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.text { white-space: pre-line; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.state { display: inline-flex; align-items: center; gap: .4em; font-weight: 600; white-space: nowrap; vertical-align: middle; }
.state svg { width: 1em; height: 1em; flex: none; }
.state.ok, .ok-ink { color: var(--ok-ink); }
.state.bad, .bad-ink { color: var(--bad-ink); }
.state.warn { color: var(--warn-ink); }
.state.busy { color: var(--busy-ink); }
.state.none { color: var(--soft); }
.state svg { fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
rect.ok { fill: var(--ok); }
rect.bad { fill: var(--bad); stroke: var(--ink); stroke-width: 1.5; }
rect.warn { fill: var(--warn); stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 2 3; }
rect.busy { fill: var(--busy); }
rect.none { fill: var(--none); }
line.gap { stroke: var(--soft); stroke-width: 5; stroke-dasharray: 2 2; }
.chip { display: inline-block; font-size: .8rem; line-height: 1.5; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: 0 .6em; overflow-wrap: anywhere; }
.overall { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .4rem 1.5rem; padding: .95rem 1.25rem; margin-bottom: 1.25rem; border-left-width: 4px; }
.overall.ok { border-left-color: var(--ok); }
.overall.bad { border-left-color: var(--bad); }
.overall.warn { border-left-color: var(--warn); }
.overall.busy { border-left-color: var(--busy); }
.overall .state { font-size: 1.15rem; white-space: normal; }
.incident { padding: 1rem 1.25rem; margin-bottom: 1rem; border-left-width: 4px; }
.incident.bad { border-left-color: var(--bad); }
.incident.warn { border-left-color: var(--warn); }
.incident.busy { border-left-color: var(--busy); }
.incident .head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; }
.updates { list-style: none; margin: .75rem 0 0; padding: 0; display: grid; gap: .75rem; }
.updates li > p:first-child { font-size: .9rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-size: .85rem; color: var(--soft); font-weight: 600; }
.number, .numbers :is(td, th):nth-child(n + 2) { text-align: right; }
tr:last-child td { border-bottom: 0; }
summary { cursor: pointer; color: var(--soft); }
summary:hover { color: var(--ink); }
input, button { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 8px; padding: .5rem .8rem; background: var(--paper); }
input { min-width: 0; flex: 1 1 14rem; border-color: var(--soft); }
button { cursor: pointer; background: var(--accent); border-color: var(--accent); color: light-dark(#fff, #0b0f14); font-weight: 600; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
