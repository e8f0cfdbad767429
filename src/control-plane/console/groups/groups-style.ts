import { checkListStyle, labelStyle } from "../check-style.ts";
import { editStyle } from "../edit/edit-style.ts";
import { tellStyle } from "../tell-style.ts";

const handles = `
.handle { min-width: 2.5rem; padding: .3rem; font-size: 1.1rem; line-height: 1.2; cursor: grab; }
.handle[aria-pressed="true"] { background: var(--sunken); border-color: var(--accent); }
[data-group].over { outline: 2px solid var(--accent); outline-offset: -2px; background: var(--sunken); }
.moves { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: 1rem 0; }
.moves .field { margin: 0; flex: 0 1 16rem; }
.carried:empty { padding: 0; border: 0; margin: 0; }
.carrying .others { position: sticky; bottom: 0; z-index: 2; max-height: 45vh; overflow-y: auto; padding-block: 1rem; background: var(--paper); border-top: 1px solid var(--line); }
form.find { align-items: end; max-width: 34rem; margin: 0 0 1rem; }
form.find .field { margin: 0; flex: 1; }
.pick { display: flex; align-items: center; gap: .6rem; }
.pick input { width: 1.5rem; height: 1.5rem; min-height: 0; margin: 0; accent-color: var(--accent); }
.loose { list-style: none; margin: 0 0 1rem; padding: 0; border: 1px solid var(--line); border-radius: 10px; }
.loose > li { display: grid; grid-template-columns: 9rem minmax(0, 1fr) auto; gap: .4rem 1.25rem; align-items: center; padding: .45rem 1.1rem; }
.loose > li + li { border-top: 1px solid var(--line); }
.loose a { color: var(--ink); font-weight: 560; text-decoration: none; overflow-wrap: anywhere; }
.loose .soft { font-size: .86rem; margin-left: .75rem; overflow-wrap: anywhere; }
@media (max-width: 56rem) { .loose > li { grid-template-columns: minmax(0, 1fr) auto; } .loose .which { grid-row: 2; } }
`;

/** The list of groups, and the checks without one. */
export const groupsStyle = `${tellStyle}${handles}
.groups > li { grid-template-columns: 10rem minmax(0, 1.4fr) minmax(0, 1fr) auto; content-visibility: auto; contain-intrinsic-size: auto 4.4rem; }
.groups ~ section { margin-top: 2.75rem; }
.groups .about { align-items: start; align-content: start; }
.groups .sums { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: .15rem 0 0; font-size: .9rem; }
.groups .sums a { color: var(--soft); }
.groups .sums .bad { color: var(--bad-ink); }
.groups .sums .warn { color: var(--warn-ink); }
@media (max-width: 56rem) { .groups > li { grid-template-columns: minmax(0, 1fr); } }
`;

/** A group with the rows of its checks. */
export const groupPageStyle = `${checkListStyle}${handles}
.crumbs { font-size: .9rem; color: var(--soft); margin: 0 0 .4rem; }
.head { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; align-items: center; margin-bottom: 1.25rem; }
.head h1 { font-size: 1.6rem; letter-spacing: -.025em; overflow-wrap: anywhere; min-width: 0; }
.head .does { margin-left: auto; display: flex; gap: .5rem; }
/* It stands at the right end also on a phone, and so does what it asks. */
.head .does .asks > div { left: auto; right: 0; }
.button { display: inline-flex; align-items: center; min-height: 2.5rem; padding: .4rem 1rem; border: 1px solid var(--line); border-radius: 6px; color: var(--ink); text-decoration: none; }
.button:hover { background: var(--raised); }
.sums { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: 0 0 1rem; color: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .5rem 2rem; margin: 0 0 1rem; }
.facts > div { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: .75rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.targets { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: 0; padding: 0; }
.targets > li { display: flex; gap: .6rem; align-items: center; min-height: 2.5rem; padding: .3rem .9rem; border: 1px dashed var(--field-line); border-radius: 8px; overflow-wrap: anywhere; }
`;

export const groupFormStyle = `${labelStyle}${editStyle}`;
