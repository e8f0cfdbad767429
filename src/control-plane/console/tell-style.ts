import { stateStyle } from "./check-style.ts";

/** Pages of alerts, channels, incidents and maintenance. */
export const tellStyle = `${stateStyle}
.ranges { display: flex; flex-wrap: wrap; gap: .3rem; list-style: none; margin: .6rem 0 1rem; padding: 0; }
.ranges a { display: block; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 6px; color: var(--soft); text-decoration: none; font-size: .93rem; }
.ranges a:hover { color: var(--ink); }
.ranges a[aria-current] { color: var(--ink); background: var(--sunken); font-weight: 560; }
.kinds { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; margin: 0 0 1.1rem; padding: 0; font-size: .93rem; }
.kinds a { display: block; padding: .2rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
.kinds a:hover { color: var(--ink); }
.kinds a[aria-current] { color: var(--ink); border-color: var(--accent); font-weight: 560; }
.chosen { margin: 0 0 1rem; overflow-wrap: anywhere; }
.filter { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1.1rem; }
.filter label { margin: 0; flex: 0 1 14rem; font-weight: 450; }
.events { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; }
.events > li { display: grid; grid-template-columns: 14rem minmax(0, 1.6fr) minmax(0, 1fr); gap: .4rem 1.75rem; padding: .8rem 1.1rem; border-left: 4px solid transparent; }
.events > li + li { border-top: 1px solid var(--line); }
.events > li:first-child { border-top-left-radius: 9px; }
.events > li:last-child { border-bottom-left-radius: 9px; }
.windows > li { grid-template-columns: 14rem minmax(0, 1fr) auto; }
.windows .does { justify-self: end; display: flex; gap: .5rem; align-items: start; }
.events > li.bad { border-left-color: var(--bad-fill); }
.events > li.warn { border-left-color: var(--warn); }
.events p { margin: 0; }
.events .asks p { margin: 0 0 .8rem; }
.events .what p { color: var(--soft); font-size: .86rem; font-variant-numeric: tabular-nums; }
.events .name { font-weight: 600; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.events a.name:hover { text-decoration: underline; }
.events .error { overflow-wrap: anywhere; font-size: .93rem; }
.about { display: flex; flex-wrap: wrap; gap: .1rem .9rem; color: var(--soft); font-size: .86rem; overflow-wrap: anywhere; }
.about a { color: var(--soft); }
.about a:hover { color: var(--ink); }
.events .sent { font-size: .9rem; min-width: 0; }
.sent li { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .5rem; }
.sent .state { font-weight: 450; }
.sent li .answer { flex-basis: 100%; }
.answer { color: var(--soft); font-size: .86rem; overflow-wrap: anywhere; }
.content .answer > summary { padding: 0; }
.answer[open] .cut { display: none; }
.pages { display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; justify-content: center; margin-top: 1.5rem; color: var(--soft); }
.crumbs { font-size: .9rem; color: var(--soft); margin: 0 0 .4rem; }
.content > h1 { overflow-wrap: anywhere; }
.form { max-width: 40rem; }
.content > h1 + .form { margin-top: 1.25rem; }
.form :is(section, .field) + section { margin-top: 2rem; }
textarea { width: 100%; min-height: 2.5rem; padding: .5rem .7rem; border: 1px solid var(--field-line); border-radius: 6px; background: var(--field); color: inherit; font: .875rem/1.5 var(--mono); resize: vertical; }
textarea.prose { font: inherit; }
textarea[aria-invalid] { border-color: var(--bad); }
textarea:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
fieldset { border: 0; margin: 0 0 1.1rem; padding: 0; min-width: 0; }
legend { font-weight: 560; font-size: .925rem; padding: 0; margin-bottom: .3rem; }
.tick { display: flex; gap: .6rem; align-items: flex-start; font-weight: 400; font-size: 1rem; margin: 0; padding: .25rem 0; }
.tick input { width: 1.1rem; height: 1.1rem; min-height: 0; margin: .22rem 0 0; flex: none; accent-color: var(--accent); }
.tick span { overflow-wrap: anywhere; min-width: 0; }
.field + .tick { margin: -.6rem 0 1.1rem; }
.send { display: flex; gap: 1.25rem; align-items: center; margin-top: 1.75rem; }
.button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.5rem; padding: .4rem 1rem; line-height: 1.2; border: 1px solid var(--line); border-radius: 6px; color: var(--ink); text-decoration: none; }
.button:hover { background: var(--raised); }
.button:focus-visible { outline-offset: 2px; border-radius: 6px; }
.answered { overflow-wrap: anywhere; }
.list .who .state { display: inline-flex; color: var(--warn-ink); font-size: inherit; }
.list .who .chip { display: inline-block; font-size: .8rem; font-weight: 450; font-family: system-ui, sans-serif; vertical-align: 1px; margin-left: .3rem; }
.list + .pages { justify-content: start; }
.head { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; align-items: center; margin-bottom: .35rem; }
.head h1 { font-size: 1.6rem; letter-spacing: -.025em; overflow-wrap: anywhere; min-width: 0; }
.head + .lead { color: var(--soft); margin: 0 0 1.75rem; max-width: 62ch; }
.head + .about { margin: 0 0 1.5rem; font-size: .93rem; }
.head .button { margin-left: auto; }
.button.strong { background: var(--button); border-color: transparent; color: #fff; font-weight: 560; }
.button.strong:hover { background: var(--button-over); }
.updates { list-style: none; margin: 0; padding: 0; max-width: 46rem; }
.updates > li { padding: 0 0 1.2rem 1.2rem; border-left: 2px solid var(--line); position: relative; }
.updates > li:last-child { padding-bottom: 0; }
.updates > li::before { content: ""; position: absolute; left: -6px; top: .5rem; width: 10px; height: 10px; border-radius: 50%; background: var(--soft); }
.updates > li:first-child::before { background: var(--accent); }
.updates p { margin: 0; }
.updates strong { color: var(--ink); font-weight: 600; }
.prose { white-space: pre-line; overflow-wrap: anywhere; }
.again summary { color: var(--soft); padding: .3rem 0; margin-bottom: .6rem; }
.again { margin-bottom: 1.75rem; }
.more .asks > summary { width: fit-content; }
.more .asks:not(.list *) > div { left: 0; right: auto; }
.tick + .field { margin-top: 1.1rem; }
.more { margin-top: 2.5rem; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1rem; }
@media (max-width: 30rem) { .pair { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 56rem) {
  .events > li { grid-template-columns: minmax(0, 1fr); }
  .windows .does { justify-self: start; }
}
@media (max-width: 40rem) {
  :is(.ranges, .kinds) { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; } :is(.ranges, .kinds) li { flex: none; } :is(.ranges, .kinds) li:has([aria-current]) { position: sticky; inset-inline: 0; background: var(--paper); } .ranges { margin-bottom: .6rem; } .kinds a { padding-block: .4rem; }
  .events .name, :is(.about, .sent, .crumbs) a { display: inline-block; padding-block: .2rem; }
  .head .button { margin-left: 0; }
  .list .does :is(.button, button, summary) { padding-inline: .65rem; min-width: 0; }
  :is(.list, .events) > li { position: relative; }
  :is(.list, .events) .asks { position: static; }
  :is(.list, .events) .asks > div { left: 1rem; right: 1rem; top: calc(100% - .4rem); width: auto; }
}
`;
