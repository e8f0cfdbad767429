/** Of the part that tells likely causes. */
export const causeStyle = `
.causes { margin: 0 0 .8rem; padding-left: 1.4rem; }
.causes > li { margin: 0 0 .9rem; overflow-wrap: anywhere; }
.causes p { margin: 0 0 .2rem; max-width: 75ch; }
.causes .sure { color: var(--soft); font-size: .86rem; white-space: nowrap; }
.causes ul { margin: 0; padding-left: 1.1rem; font-size: .9rem; color: var(--soft); }
.likely form { margin-top: .6rem; }
.likely .made { color: var(--soft); font-size: .86rem; }
`;
