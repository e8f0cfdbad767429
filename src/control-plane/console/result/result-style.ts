import { requestFilterStyle } from "../check-types/script-run/request-types.ts";

/** On top of the style of a check's page. */
export const resultStyle = `${requestFilterStyle}
.neighbours { display: flex; gap: 1.25rem; margin: -.8rem 0 1.5rem; font-size: .93rem; }
.neighbours a[rel=prev]::before { content: "← "; content: "← " / ""; }
.neighbours a[rel=next]::after { content: " →"; content: " →" / ""; }
.head > .share { margin-left: auto; }
.share > summary { color: var(--ink); min-height: 2.1rem; padding-block: .2rem; }
.share > div { left: auto; right: 0; }
.share > summary:hover { background: var(--raised); }
#link { max-width: 46rem; font-family: var(--mono); font-size: .875rem; }
.hops { max-width: 60rem; }
.hops .time { text-align: right; }
.hops td { vertical-align: middle; }
.hops .bar { background: none; border: 0; border-bottom: 1px solid var(--line); width: 35%; min-width: 5rem; }
.path th[scope=row] { font-weight: 400; white-space: nowrap; text-align: right; }
.path .node { width: 2rem; padding: 0; text-align: center; background: linear-gradient(var(--line), var(--line)) center / 2px 100% no-repeat; }
.path tr:first-child .node { background-position: bottom; background-size: 2px 50%; }
.path tr:last-child .node { background-position: top; background-size: 2px 50%; }
.path .node svg { display: block; margin: auto; fill: var(--paper); stroke: currentColor; stroke-width: 1.6; }
.path .node .core { fill: currentColor; }
.path .spread { opacity: .45; }
.facts > div:has(.address) { grid-column: 1 / -1; }
.hops .bar svg { display: block; }
.wide + .wide, .wide + .soft { margin-top: 1rem; }
.steps .bar { background: none; border: 0; border-bottom: 1px solid var(--line); width: 45%; min-width: 8rem; vertical-align: middle; }
.steps .bar svg { display: block; }
.timeline .tools { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; margin: 0 0 .6rem; }
.timeline .tools[hidden] { display: none; }
.timeline .tools input { width: 16rem; max-width: 100%; }
.timeline .tools .hint { margin: 0; }
.timeline:has(.tools:not([hidden])) td.bar { cursor: col-resize; touch-action: pan-y; }
.timeline:not(.zoomed) .tools button { visibility: hidden; }
.steps th[scope=row] { font-weight: 450; }
.steps .time { white-space: nowrap; }
.steps .request td:first-child { font-size: .87rem; max-width: 34rem; overflow-wrap: anywhere; }
.steps .d1 { padding-left: 1.4rem; } .steps .d2 { padding-left: 2.8rem; } .steps .d3 { padding-left: 4.2rem; }
.steps .d4 { padding-left: 5.6rem; } .steps .d5 { padding-left: 7rem; } .steps :is(.d6, .d7) { padding-left: 8.4rem; }
.steps .bad :is(th, td) { color: var(--bad-ink); }
rect.failed { fill: var(--bad-ink); }
.failure figure { margin: 1rem 0; }
.failure img, section > video { max-width: 100%; max-height: 40rem; border: 1px solid var(--line); border-radius: 6px; }
section > .wide { margin-bottom: .8rem; }
@media (max-width: 40rem) { .hops .bar, .hops th:empty { display: none; } .facts > div { grid-template-columns: 7rem minmax(0, 1fr); } .waterfall th { width: 7rem; } .waterfall .time { width: 5rem; } }
`;
