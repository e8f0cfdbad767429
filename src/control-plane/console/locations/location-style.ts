/** On top of what lists and pages of checks share. */
export const locationListStyle = `
.places { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; overflow: clip; }
.places > li { display: grid; grid-template-columns: minmax(13rem, 1.5fr) minmax(10rem, 1fr) minmax(0, 32rem); gap: .5rem 1.5rem; align-items: center; padding: .85rem 1.1rem; border-left: 4px solid transparent; }
.places > li + li { border-top: 1px solid var(--line); }
.places > li.bad { border-left-color: var(--bad-fill); }
.places > li.warn { border-left-color: var(--warn); }
.places .which { min-width: 0; }
.places .which > a { font-weight: 600; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.places .which > a:hover { text-decoration: underline; }
.places .which p, .places .how p { margin: .1rem 0 0; font-size: .86rem; color: var(--soft); overflow-wrap: anywhere; }
.places dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0 1rem; margin: 0; }
.places dt { font-size: .76rem; color: var(--soft); }
.places dd { margin: 0; font-weight: 560; font-variant-numeric: tabular-nums; white-space: nowrap; }
.places + section { margin-top: 2.75rem; }
.places .bad-figure { color: var(--bad-ink); }
.create { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1rem; align-items: start; max-width: 54rem; }
.create button { justify-self: start; }
@media (max-width: 62rem) { .places > li { grid-template-columns: minmax(0, 1fr) auto; } .places dl { grid-column: 1 / -1; } }
@media (max-width: 40rem) { .places > li, .create { grid-template-columns: minmax(0, 1fr); } .create button { justify-self: stretch; } .places dl { grid-template-columns: repeat(2, 1fr); gap: .4rem 1rem; } }
`;

export const locationPageStyle = `
.under { display: block; font-size: .84rem; color: var(--soft); }
.advice { margin: 0 0 1.5rem; padding: 0; list-style: none; display: grid; gap: .6rem; }
.advice .box { margin: 0; display: flex; gap: .75rem; align-items: flex-start; }
.advice .box .state { flex: none; }
.advice .now { background: var(--bad-paper); border-color: color-mix(in srgb, var(--bad) 35%, transparent); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.5rem 2.5rem; margin-bottom: .8rem; }
.charts figure { margin: 0; min-width: 0; }
.charts figcaption { font-weight: 560; font-size: .93rem; margin-bottom: .6rem; }
.charts .plot svg, .charts .plot .y { height: 9rem; }
.agents td { white-space: normal; min-width: 8.5rem; }
.agents td:first-child { min-width: 11rem; overflow-wrap: anywhere; }
.agents td:nth-child(5) { min-width: 12rem; }
.agents .chips { min-width: 14rem; }
.chips span { display: inline-block; margin: 0 .3rem .3rem 0; }
.agents time { white-space: nowrap; }
.missed td.free { min-width: 18rem; }
td code { overflow-wrap: anywhere; }
.fresh { padding: 1rem 1.1rem; }
.fresh h2 { font-size: 1.05rem; margin: 0 0 .3rem; }
.fresh p { margin: 0 0 .8rem; }
.fresh details { border-top: 1px solid var(--line); margin: 0; padding: .5rem 0; }
.fresh summary { font-weight: 560; color: var(--ink); }
.fresh .hint { margin: .4rem 0; }
.commands { margin: 0; padding: .8rem 1rem; overflow-x: auto; background: var(--sunken); border-radius: 8px; line-height: 1.55; }
.box.good .commands { background: light-dark(#ffffff, #0a0e12); border: 1px solid var(--line); }
.addkey { margin-top: 1rem; }
.keys { max-width: 54rem; }
.list .who .state { display: inline-flex; }
.list + form { margin-top: 1.1rem; }
.keys .does { margin: 0; }
.gone { max-width: 54rem; display: flex; flex-wrap: wrap; gap: .8rem 1.5rem; align-items: center; justify-content: space-between; }
.gone > p { margin: 0; color: var(--soft); flex: 1 1 20rem; }
.asks p + form button { width: 100%; }
`;
