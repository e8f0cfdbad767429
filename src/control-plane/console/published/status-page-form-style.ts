import { tellStyle } from "../tell-style.ts";

/** Who comes back from a button of the cards is at his card at once. */
export const statusPageFormStyle = `${tellStyle}
html { scroll-behavior: auto; }
.colors { width: auto; margin: .6rem 0 0; }
.colors :is(th, td) { text-align: left; vertical-align: middle; padding: .25rem 1.5rem .25rem 0; overflow-wrap: anywhere; }
.colors th { font-weight: 450; }
.colors td { padding-right: .75rem; }
.colors thead th { color: var(--soft); font-size: .9rem; }
.colors input { width: 4rem; padding: .2rem; }
@media (max-width: 30rem) { .colors th { padding-right: .5rem; } .colors input { width: 3rem; } }
.piece { border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; margin: 0 0 1rem; }
.piece > legend { float: left; width: 100%; margin-bottom: .8rem; }
.piece > legend + * { clear: both; }
.placed { list-style: none; margin: 0 0 1rem; padding: 0; border-top: 1px solid var(--line); }
.placed > li { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: center; padding: .4rem 0; border-bottom: 1px solid var(--line); }
.placed .name { flex: 1 1 12rem; min-width: 0; overflow-wrap: anywhere; }
.steps { display: flex; flex-wrap: wrap; gap: .4rem; }
.steps button { min-height: 2.1rem; padding: .2rem .7rem; font-size: .9rem; }
.one { display: flex; gap: .75rem; align-items: end; margin: 0 0 1rem; }
.one .field { flex: 1; margin: 0; min-width: 0; }
`;
