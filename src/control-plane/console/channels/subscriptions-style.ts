import { tellStyle } from "../tell-style.ts";

export const subscriptionsStyle = `${tellStyle}
.ticks { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 0 1.5rem; border: 1px solid var(--line); border-radius: 10px; padding: .6rem 1rem; }
.every { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.1rem; }
.form:has(.ticks) { max-width: none; }
`;
