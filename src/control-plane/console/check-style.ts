/** Labels of states in their colours, as on public pages. */
export const labelStyle = `
:root {
  --ok: light-dark(#2fa36b, #3fbf86);
  --warn: light-dark(#d9920a, #e9b144);
  --none: light-dark(#dde2e8, #2a333d);
  --ok-ink: light-dark(#0d6e43, #5fd3a0);
  --bad-ink: light-dark(#b3261e, #ff8f86);
  --warn-ink: light-dark(#855400, #f0be62);
  --bad-fill: light-dark(#d63a31, #f5655b);
}
.state { display: inline-flex; align-items: baseline; gap: .4em; font-weight: 560; white-space: nowrap; }
.state svg { width: 1em; height: 1em; flex: none; align-self: center; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.facts .state, .plain .state, .free .state { white-space: normal; align-items: start; }
:is(.facts, .plain, .free) .state svg { align-self: start; margin-top: .25em; }
.state.ok { color: var(--ok-ink); }
.state.bad { color: var(--bad-ink); }
.state.warn { color: var(--warn-ink); }
.state.none { color: var(--soft); }
`;

/** With those, what lists and pages of checks share. */
export const stateStyle = `${labelStyle}
rect.ok { fill: var(--ok); }
rect.bad { fill: var(--bad-fill); }
/* Not by its colour alone. */
.strip :is(rect.bad, rect.warn) { stroke: var(--ink); stroke-width: 1.5; }
.strip rect.warn { stroke-dasharray: 2 3; }
rect.warn { fill: var(--warn); }
rect.none { fill: var(--none); }
line.gap { stroke: var(--soft); stroke-width: 5; stroke-dasharray: 2 2; }
.strip { display: block; width: 100%; height: 1.6rem; }
.spark { display: block; width: 100%; height: 1.8rem; }
path.p50, path.p95 { fill: none; stroke: var(--accent); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
path.p95 { stroke: var(--soft); stroke-dasharray: 1 4; }
path.dot { stroke-width: 5; stroke-dasharray: none; }
.chip { display: inline-block; font-size: .8rem; line-height: 1.5; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: 0 .6em; text-decoration: none; overflow-wrap: anywhere; }
a.chip:hover { color: var(--ink); border-color: var(--soft); }
.soft { color: var(--soft); }
.cause { margin: .25rem 0 0; display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .9rem; color: var(--soft); }
.cause .error { color: var(--ink); overflow-wrap: anywhere; flex-basis: 100%; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: top; }
thead th { font-size: .85rem; color: var(--soft); font-weight: 560; }
td.free { white-space: normal; overflow-wrap: anywhere; min-width: min(12rem, 45vw); }
.numbers :is(td, th):nth-child(n + 2) { text-align: right; }
.wide { overflow-x: auto; }
@media (max-width: 40rem) {
  td.free { min-width: min(8rem, 28vw); }
  .stacked thead { position: absolute; clip-path: inset(50%); }
  .stacked :is(tbody, tr) { display: block; }
  .stacked tr { display: flex; flex-wrap: wrap; gap: .1rem 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .stacked td { border: 0; padding: 0; }
  .stacked td:empty { display: none; }
  .stacked td.free { flex: 1 0 100%; }
}
.plain { list-style: none; padding: 0; margin: 0; display: grid; gap: .4rem; }
.ranges { display: flex; gap: .3rem; list-style: none; margin: 0 0 1rem; padding: 0; }
.ranges a { display: block; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 6px; color: var(--soft); text-decoration: none; font-size: .93rem; }
.ranges a[aria-current] { color: var(--ink); background: var(--sunken); font-weight: 560; }
`;

export const checkListStyle = `${stateStyle}
.counters { list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 0 0 1.25rem; padding: 0; }
.counters a { display: flex; flex-direction: column; gap: .1rem; padding: .8rem 1.1rem; border: 1px solid var(--line); border-left: 4px solid var(--none); border-radius: 10px; color: var(--ink); text-decoration: none; background: var(--raised); }
.counters a.ok { border-left-color: var(--ok); }
.counters a.warn { border-left-color: var(--warn); }
.counters a.bad { border-left-color: var(--bad-fill); }
.counters a:hover, .counters a[aria-current] { border-color: var(--soft); }
.counters a[aria-current] { background: var(--sunken); }
.counters strong { font-size: 1.6rem; line-height: 1.15; font-weight: 640; font-variant-numeric: tabular-nums; }
.counters .state { font-size: .9rem; }
.filter { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1.25rem; }
.filter label { margin: 0; flex: 0 1 9.2rem; font-weight: 400; }
.filter label:has([name="sort"]) { flex-basis: 12rem; }
.filter .search { flex: 1 1 13rem; }
.filter .more { display: contents; }
.filter .new { margin-left: auto; min-height: 2.5rem; padding: .4rem 1rem; border-radius: 6px; background: var(--button); color: #fff; font-weight: 560; text-decoration: none; line-height: 1.6rem; }
.filter .new:hover { background: var(--button-over); }
.checks { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; overflow: clip; }
.checks > li { display: grid; grid-template-columns: minmax(13rem, 2.2fr) minmax(10rem, 1.6fr) auto minmax(5rem, .7fr) 5.5rem auto; gap: .4rem 1.5rem; align-items: center; padding: .7rem 1.1rem; border-left: 4px solid transparent; }
.checks > li { content-visibility: auto; contain-intrinsic-size: auto 4.4rem; }
.checks > li + li { border-top: 1px solid var(--line); }
.checks > li.bad { border-left-color: var(--bad-fill); }
.checks > li.warn { border-left-color: var(--warn); }
.checks .which { min-width: 0; }
.checks .which > a { font-weight: 600; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.checks .which > a:hover { text-decoration: underline; }
.checks .which p { margin: .1rem 0 0; display: flex; flex-wrap: wrap; gap: .15rem .75rem; font-size: .86rem; color: var(--soft); align-items: center; }
.checks .cause .error { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.checks .which p a { color: var(--soft); min-width: 0; }
.checks dl { display: grid; grid-template-columns: repeat(3, minmax(5rem, max-content)); column-gap: .4rem; margin: 0; }
.checks dt { font-size: .76rem; color: var(--soft); }
.checks dd { margin: 0; font-weight: 560; font-variant-numeric: tabular-nums; white-space: nowrap; }
.checks .last { margin: 0; text-align: right; color: var(--soft); font-size: .86rem; white-space: nowrap; }
.views { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; align-items: start; margin: 0 0 .8rem; }
.views .ranges { flex-wrap: wrap; margin: 0; align-items: baseline; } .views .ranges > li > span { color: var(--soft); font-size: .93rem; margin-right: .3rem; } .views .ranges a { overflow-wrap: anywhere; } .views details { margin: 0; max-width: 22rem; } .views summary { color: var(--soft); cursor: pointer; padding: .3rem 0; }
.views > .live { order: 1; }
.matrix th[scope="row"] { font-weight: 560; white-space: normal; overflow-wrap: anywhere; min-width: 12rem; position: sticky; left: 0; background: var(--paper); } .matrix th span:not(.state) { color: var(--soft); font-weight: 400; font-size: .86rem; } .matrix td a { text-decoration: none; }
.sections { display: grid; grid-template-columns: minmax(0, 1fr); gap: .8rem; }
.sections > section { border: 1px solid var(--line); border-left: 4px solid var(--none); border-radius: 10px; overflow: clip; }
.sections > section.bad { border-left-color: var(--bad-fill); } .sections > section.warn { border-left-color: var(--warn); } .sections > section.ok { border-left-color: var(--ok); }
.sections > section:has(.acts[open]) { overflow: visible; }
.sections .checks { border: 0; border-top: 1px solid var(--line); border-radius: 0; }
.roll { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; align-items: baseline; padding: .6rem 1.1rem; background: var(--sunken); }
.roll h2 { margin: 0; font-size: 1.02rem; overflow-wrap: anywhere; flex: 1 1 12rem; }
.roll h2 a { display: inline-block; min-height: 1.5rem; color: var(--ink); text-decoration: none; } .roll h2 a:hover { text-decoration: underline; } .roll .soft { font-weight: 400; font-size: .86rem; }
.roll h2 a::before { content: "▸"; display: inline-block; width: 1.1em; } .roll h2 a[aria-expanded="true"]::before { content: "▾"; }
.roll p { margin: 0; display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1.25rem; font-variant-numeric: tabular-nums; } .roll p, .roll .only { font-size: .9rem; } .roll .only { color: var(--soft); }
.by-error { margin-top: 1.5rem; } .by-error h2 { font-size: 1.05rem; }
.pages { display: flex; gap: 1.25rem; justify-content: center; margin-top: 1.5rem; color: var(--soft); }
.box h2 { font-size: 1.05rem; margin-bottom: .3rem; }
.steps ol { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: .8rem 1.5rem; list-style: none; margin: .5rem 0 .9rem; padding: 0; }
.steps a { font-weight: 560; } .steps li p { color: var(--soft); font-size: .9rem; } .steps .state { font-size: .86rem; }
.box p { margin: 0; }
.checks:has(.acts[open]) { overflow: visible; }
.checks > li:has(.acts[open]) { content-visibility: visible; }
.checks .pick { grid-column: -2; display: flex; align-items: center; gap: .3rem; }
.checks .pick input { width: 1.5rem; height: 1.5rem; margin: 0; accent-color: var(--accent); }
.bulk { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 0 0 1rem; }
.bulk .field { margin: 0; flex: 0 1 9rem; }
.bulk > input:not([type="hidden"]) { flex: 0 1 13rem; width: auto; }
.content .checks .acts { margin: 0; }
.acts > summary { min-width: 2.5rem; min-height: 2.5rem; text-align: center; font-size: 1.2rem; line-height: 1.9rem; cursor: pointer; }
.acts > summary::after { display: none; }
.acts > ul { left: auto; right: 0; width: 11rem; display: grid; gap: .15rem; }
.acts :is(button, li > a) { display: block; width: 100%; min-height: 2.25rem; padding: .35rem .8rem; border: 0; border-radius: 6px; color: var(--ink); text-align: left; text-decoration: none; font-size: .935rem; line-height: 1.5rem; }
.acts :is(button, li > a):hover { background: var(--sunken); }
@media (max-width: 62rem) { .checks > li { grid-template-columns: minmax(0, 1fr) auto auto; } .checks .runs { grid-column: 1 / -1; grid-row: 2; } .checks .line { display: none; } .checks .last { grid-column: 2; grid-row: 1; } .checks .pick { grid-column: 3; grid-row: 1; } .checks dl { grid-column: 1 / -1; grid-row: 3; } }
@media (max-width: 40rem) { .checks > li { grid-template-columns: minmax(0, 1fr) auto; gap: .4rem .75rem; } .checks .pick { grid-column: 2; } .checks .last { grid-column: 1 / -1; grid-row: 4; text-align: left; } }
/* On a phone the checks come first: what to do with them shows once one is ticked. */
@supports selector(:has(*)) { @media (max-width: 40rem) { .bulk { display: none; } :has(input[form="bulk"]:checked) > .bulk { display: flex; position: fixed; inset: auto 0 0; z-index: 5; margin: 0; padding: .6rem 1rem; background: var(--raised); border-top: 1px solid var(--line); } :has(input[form="bulk"]:checked) > .bulk > :not([type="hidden"]) { flex: 1 1 9rem; } } }
/* So does their list: what chooses among them wraps and is small, as nobody sees that a row scrolls. */
@media (max-width: 40rem) {
  .content:has(.counters) { padding-top: 1rem; }
  .counters { display: flex; flex-wrap: wrap; gap: .4rem; margin-bottom: .8rem; }
  .counters a { flex-direction: row; align-items: center; gap: .25rem; min-height: 2.5rem; padding: .2rem .4rem .2rem .3rem; border-radius: 8px; } .counters strong { font-size: 1.1rem; } .counters .state { font-size: .76rem; }
  .filter { gap: .5rem; margin-bottom: .6rem; } .filter .search { flex: 1 1 9rem; }
  .filter .more { display: flex; flex-wrap: wrap; gap: .4rem; order: 3; flex: 1 1 100%; } .filter .more label, .filter .more label:has([name="sort"]) { flex: 1 1 6.9rem; } .filter .more :is(select, button) { min-height: 2.25rem; font-size: .86rem; padding: .3rem .35rem; } .filter .more button { flex: 0 1 4rem; }
  .views { gap: .4rem; margin-bottom: .4rem; align-items: center; } .views .ranges { gap: .2rem; } .views .ranges a { padding: .25rem .4rem; font-size: .86rem; } .views .ranges > li > span { font-size: .86rem; margin: 0; }
  .views .live { order: 0; } .views > .live ~ * { order: 1; }
  .checks .which { grid-column: 1 / -1; grid-row: 1; } .checks .which > a { display: block; min-height: 2.5rem; padding-block: .45rem; margin-right: 5rem; } .checks .pick { grid-row: 1; align-self: start; } .checks:has(.handle) .which > a { margin-right: 8rem; } .checks .which p { line-height: 1.75; } .checks .which > a + p { margin-top: -.2rem; } .checks .chip { line-height: 1.8; }
}
`;

export const checkPageStyle = `${stateStyle}
.crumbs { font-size: .9rem; color: var(--soft); margin: 0 0 .4rem; overflow-wrap: anywhere; }
.head { display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; align-items: baseline; margin-bottom: .4rem; }
.head h1 { font-size: 1.6rem; letter-spacing: -.025em; overflow-wrap: anywhere; }
#cause:has(.cause) { margin: -.6rem 0 1.25rem; padding: .7rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--bad-fill); border-radius: 8px; background: var(--raised); }
#cause:has(.cause.warn) { border-left-color: var(--warn); }
#cause .cause { margin: 0; }
.about { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
.head + .about { margin: 0 0 1.5rem; color: var(--soft); }
.address { overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .5rem 2rem; margin: 0 0 1rem; }
.facts > div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .75rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.facts dd ul { margin: 0; padding-left: 1.1rem; }
.verbatim { margin: .5rem 0 1rem; padding: .8rem 1rem; max-height: 26rem; overflow: auto; background: var(--sunken); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; } .beside figure { margin: 0; } .beside img { max-width: 100%; height: auto; }
.content details:not(:where(.asks)) { margin: .3rem 0 .8rem; }
.content :not(:where(.asks)) > summary { color: var(--soft); padding: .15rem 0; }
.content :not(:where(.asks)) > summary:hover { color: var(--ink); }
@media (max-width: 40rem) {
  .does.does { gap: .4rem; } .does.does > a, .does > * > :is(button, summary) { padding-inline: .6rem; min-width: 0; }
  .crumbs a, #cause a, .stacked td a { display: inline-block; padding-block: .25rem; } .about .chip { line-height: 1.8; }
}
.does { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin-bottom: 1.75rem; }
.does:empty { display: none; }
@media (max-width: 40rem) { .does { position: relative; } .does > .asks { position: static; } .does > .asks > div { left: 0; right: 0; width: auto; top: calc(100% + .4rem); } }
.does > a { min-height: 2.5rem; padding: .4rem 1rem; line-height: 1.6rem; border: 1px solid var(--line); border-radius: 6px; color: var(--ink); text-decoration: none; }
.does > a:hover { background: var(--raised); }
#told section, #told + section { margin-top: 2.75rem; }
.content > .box + section { margin-top: 1.75rem; }
.names th { font-weight: 500; color: var(--soft); width: 1%; }
.names td { white-space: normal; overflow-wrap: anywhere; }
.waterfall { max-width: 60rem; }
.waterfall th { font-weight: 450; width: 9rem; }
.waterfall .time { text-align: right; width: 6rem; }
.waterfall .bar { background: none; border: 0; border-bottom: 1px solid var(--line); width: 100%; padding-right: 0; vertical-align: middle; }
.waterfall .bar svg { display: block; }
.waterfall .total :is(th, td) { font-weight: 640; border-bottom: 0; }
:is(rect, .plot path).p0 { fill: light-dark(#9aa5b1, #76828f); }
:is(rect, .plot path).p1 { fill: light-dark(#2f9e8f, #4cc7b6); }
:is(rect, .plot path).p2 { fill: light-dark(#d9920a, #e9b144); }
:is(rect, .plot path).p3 { fill: light-dark(#8257c9, #ab88ee); }
:is(rect, .plot path).p4 { fill: light-dark(#2f9e5b, #4cc981); }
:is(rect, .plot path):is(.p5, .p6) { fill: light-dark(#3b7dd8, #6cb0ff); }
.redirects { margin: 0 0 .8rem; padding-left: 1.3rem; overflow-wrap: anywhere; }
.chain { padding-left: 1.3rem; display: grid; gap: .8rem; overflow-wrap: anywhere; }
.chain .facts { margin: .2rem 0 0; }
.log td { font-family: var(--mono); font-size: .84rem; }
.log .warn td { color: var(--warn-ink); }
.log .error td { color: var(--bad-ink); }
.attempts { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.5rem; padding: 0; }
.attempts a { display: flex; gap: .6rem; padding: .35rem .8rem; border: 1px solid var(--line); border-radius: 8px; text-decoration: none; color: var(--ink); }
.attempts a[aria-current] { background: var(--sunken); border-color: var(--soft); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 0 0 1.5rem; }
.figures > div { padding: .7rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
.figures dt { font-size: .84rem; color: var(--soft); }
.figures dd { margin: 0; font-size: 1.3rem; font-weight: 620; font-variant-numeric: tabular-nums; }
.plot { display: grid; grid-template-columns: 4rem minmax(0, 1fr); gap: .3rem .6rem; }
.plot .y { position: relative; font-size: .78rem; color: var(--soft); text-align: right; font-variant-numeric: tabular-nums; display: flex; flex-direction: column; justify-content: space-between; height: 13rem; line-height: 1; }
.plot svg { display: block; width: 100%; height: 13rem; overflow: visible; }
.plot .x { grid-column: 2; display: flex; justify-content: space-between; font-size: .78rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.plot line { stroke: var(--line); stroke-width: 1; }
.plot path { fill: none; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
.plot path.p95 { stroke-dasharray: 1 4; stroke-width: 1.4; }
:is(.plot, .legend, .multiples) .s0 { stroke: light-dark(#0b63c5, #6cb0ff); }
:is(.plot, .legend, .multiples) .s1 { stroke: light-dark(#c2410c, #fb923c); }
:is(.plot, .legend, .multiples) .s2 { stroke: light-dark(#7c3aed, #b794f6); }
:is(.plot, .legend, .multiples) .s3 { stroke: light-dark(#0f766e, #4fd1c5); }
:is(.plot, .legend, .multiples) .s4 { stroke: light-dark(#be185d, #f687b3); }
:is(.plot, .legend, .multiples) .s5 { stroke: light-dark(#4d7c0f, #a3d65c); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .86rem; color: var(--soft); margin: .5rem 0 0; }
.legend svg { width: 18px; height: 6px; margin-right: .35rem; }
.legend path { fill: none; stroke-width: 2; stroke-linecap: round; }
.legend path.p95 { stroke-dasharray: 1 4; }
.pages { display: flex; gap: 1.25rem; margin-top: 1rem; color: var(--soft); }
`;
