import { tellStyle } from "../tell-style.ts";

/** The list of dashboards, status pages and services. */
export const publishedStyle = `${tellStyle}
.list .who .parts { display: flex; flex-wrap: wrap; gap: .3rem; margin-top: .3rem; }
.list .who .parts .chip { margin: 0; }
section > .head { margin-bottom: .9rem; }
section > .head h2 { font-size: 1.1rem; }
.one { display: flex; gap: .75rem; align-items: end; max-width: 30rem; }
.one .field { flex: 1; margin: 0; }
`;
