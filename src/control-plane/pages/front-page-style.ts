export const frontPageStyle = `
main { max-width: 40rem; margin: 0 auto; padding: clamp(3rem, 14vh, 9rem) 1.5rem; }
h1 { font-size: 2.25rem; letter-spacing: -.03em; }
p { color: var(--soft); max-width: 52ch; }
ul { list-style: none; padding: 0; margin: 2rem 0 0; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); padding: .75rem 0; display: flex; gap: 1rem; justify-content: space-between; flex-wrap: wrap; }
li span { color: var(--soft); }
`;
