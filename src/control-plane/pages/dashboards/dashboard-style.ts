import { publicStyle } from "../public/public-style.ts";

export const dashboardStyle = `${publicStyle}
.w960PX { --wide: 1010px; }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.25rem; padding-top: 1.5rem; padding-bottom: 1.25rem; }
.top .logo img { display: block; max-height: 3.25rem; max-width: min(14rem, 60vw); object-fit: contain; }
.top .words { flex: 1 1 18rem; min-width: 0; }
.top .words p { color: var(--soft); margin-top: .2rem; white-space: pre-line; }
.bare { padding-top: 1.5rem; }
.checks { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 29rem), 1fr)); }
.checks:has(details[open]) { align-items: start; }
.check { padding: 1rem 1.25rem .9rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: .7rem; min-width: 0; align-content: start; }
.check.bad { box-shadow: inset 3px 0 var(--bad); }
.check.warn { box-shadow: inset 3px 0 var(--warn); }
.check > .fit { container-type: inline-size; min-width: 0; }
.check .head { display: flex; flex-wrap: wrap; gap: .1rem .75rem; align-items: start; justify-content: space-between; }
.check .name { min-width: 0; flex: 1 1 8.5rem; }
.check .group { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
.check .tags { display: flex; flex-wrap: wrap; gap: .3rem; }
.check .tags:empty { display: none; }
.strip { display: block; width: 100%; height: 1.9rem; }
.axis { display: flex; justify-content: space-between; font-size: .78rem; color: var(--soft); margin-top: .2rem; }
.measured { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .6rem 1.5rem; align-items: end; }
.figures { display: grid; grid-template-columns: repeat(4, minmax(4.1rem, auto)); gap: .5rem .9rem; margin: 0; justify-content: start; }
.figures > div { min-width: 0; }
.figures dt { font-size: .78rem; color: var(--soft); }
.figures dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 600; white-space: nowrap; }
.spark { width: 100%; max-width: 14rem; height: 2.1rem; justify-self: end; }
@container (max-width: 25rem) { .measured { grid-template-columns: minmax(0, 1fr); } .figures { grid-template-columns: repeat(auto-fill, minmax(4.1rem, auto)); justify-content: space-between; } .spark { max-width: none; } }
path.p50, path.p95 { fill: none; stroke: var(--accent); stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
path.p95 { stroke: var(--soft); stroke-dasharray: 1 4; }
path.dot { stroke-width: 5; stroke-dasharray: none; }
.chart { display: block; width: 100%; height: 6rem; margin: .6rem 0 .2rem; border-bottom: 1px solid var(--line); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .82rem; color: var(--soft); margin-bottom: .5rem; }
.wide { overflow-x: auto; }
.more { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .88rem; justify-content: space-between; }
.more details { flex: 1 1 auto; min-width: 0; }
.more details[open] { flex-basis: 100%; }
:is(.more, .foot) :is(a, summary), .overall a { padding-block: .35rem; } :is(.more, .foot, .overall) a { display: inline-block; }
.foot { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; justify-content: space-between; align-items: center; padding-top: 1.25rem; padding-bottom: 2rem; color: var(--soft); font-size: .9rem; }
.foot nav { display: flex; flex-wrap: wrap; gap: .5rem 1.1rem; align-items: center; }
.past { margin-top: 2rem; }
.empty { padding: 2.5rem 1.25rem; text-align: center; }
.locked { min-height: 100vh; display: grid; place-content: center; max-width: 30rem; gap: 1rem; }
.locked form { margin-top: .5rem; }
.runs { padding: 1rem 1.25rem; }
.runs h1 { font-size: 1.3rem; margin: .5rem 0 1rem; }
`;
