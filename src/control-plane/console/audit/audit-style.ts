import { tellStyle } from "../tell-style.ts";

export const auditStyle = `${tellStyle}
.filter { align-items: end; }
.filter .field { margin: 0; flex: 1 1 13rem; min-width: 0; max-width: 20rem; }
.filter :is(input, select) { height: 2.5rem; }
.filter button, .filter .button { flex: none; }
.events .name { font-weight: 600; }
`;
