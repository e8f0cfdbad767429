/** Beside the style of what tells people. */
export const episodeStyle = `
section > h2 { margin: 1.6rem 0 .6rem; }
.kinds + section > h2, nav + section > h2 { margin-top: .6rem; }
.filter.day { align-items: end; margin: .6rem 0 0; } .filter.day .field { margin: 0; } .filter.day :is(input, button, .button) { height: 2.5rem; }
.cause { margin: 1.1rem 0 .5rem; }
.cause h3 { margin: 0; font-size: 1rem; }
.cause .error, .one-line { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
@media (max-width: 40rem) { .cause .error, .one-line { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; white-space: normal; overflow-wrap: anywhere; } }
.cause .error { margin: 0; color: var(--soft); }
.events + .events { margin-top: 1rem; }
.events > li.over { border-left-color: var(--line); }
.events .sent form { margin-top: .5rem; }
.head h1 .name { color: inherit; text-decoration: none; }
.head h1 .name:hover { text-decoration: underline; }
.acts + h3, section > h3 { margin: 1rem 0 .5rem; }
.quieted { font-weight: 560; color: var(--ink); }
.acts { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: 0 0 1rem; }
.acts .field { margin: 0; }
.updates > li.bad::before { background: var(--bad-fill); }
.updates > li.warn::before { background: var(--warn); }
.updates > li.ok::before { background: var(--ok-fill, var(--accent)); }
.updates .sent { margin-top: .2rem; font-size: .9rem; }
.updates .error { overflow-wrap: anywhere; }
`;
