/** What Playwright calls what a page asks for; `api` is what a script itself sends. */
export const requestTypes = ["document", "stylesheet", "image", "media", "font", "script", "xhr", "fetch", "websocket", "api"] as const;
export const otherType = "other";

/** Hides what is not chosen above the table of requests. */
export const requestFilterStyle = `
.filter { border: 0; padding: 0; margin: .6rem 0 .8rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.filter input { width: 1.05rem; height: 1.05rem; min-height: 0; margin: 0; flex: none; accent-color: var(--accent); }
.filter label { display: flex; gap: .45rem; align-items: center; min-height: 1.75rem; }
.network:has(.only-failed:checked) tbody tr:not(.failed)${[...requestTypes, otherType].map((type) => `, .network:has([value="${type}"]:checked) tbody tr:not(.${type})`).join("")} { display: none; }
`;
