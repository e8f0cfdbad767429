import { tellStyle } from "../tell-style.ts";

export const auditStyle = `${tellStyle}
.filter { align-items: end; }
.filter .field { margin: 0; flex: 1 1 13rem; min-width: 0; max-width: 20rem; }
.filter :is(input, select) { height: 2.5rem; }
.filter button, .filter .button { flex: none; }
.events .name { font-weight: 600; }
.events .changes { margin: .4rem 0 0; } .events .changes summary { color: var(--soft); font-size: .9rem; cursor: pointer; min-height: 1.5rem; }
.changes .wide { overflow-x: auto; } .changes table { border-collapse: collapse; font-size: .9rem; }
.changes :is(th, td) { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; font-weight: 400; }
.changes thead th { color: var(--soft); font-size: .82rem; } .changes tbody th { font-weight: 560; }
.changes td { min-width: 6rem; }
`;
