import { tellStyle } from "../tell-style.ts";

export const snippetStyle = `${tellStyle}
.form { max-width: 64rem; }
.form .field:first-of-type input { max-width: 26rem; }
.form textarea, pre.code { tab-size: 2; }
pre.code { padding: .8rem 1rem; overflow: auto; background: var(--sunken); border-radius: 8px; margin: 0; }
`;
