/** Style of the guide: a rail with the list of pages, a column of text that is easy to read, the page's parts beside it on wide screens. */
export const guideStyle = `
.shell { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); min-height: 100vh; overflow-x: clip; }
.rail { border-right: 1px solid var(--line); background: var(--raised); padding: 1.75rem 1.25rem 3rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; font-size: .9375rem; }
.brand { margin: 0 0 1rem; font-weight: 650; font-size: 1.125rem; letter-spacing: -.02em; }
.brand a { color: var(--ink); text-decoration: none; } .brand a + a { color: var(--soft); font-weight: 400; }
.rail form { display: flex; gap: .375rem; }
.rail input { font: inherit; flex: 1; min-width: 0; padding: .375rem .625rem; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); color: var(--ink); }
.rail button { font: inherit; padding: .375rem .625rem; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); color: var(--ink); cursor: pointer; }
@supports selector(::details-content) { .list > summary { display: none; } .list::details-content { content-visibility: visible; } }
nav h2 { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 1.5rem 0 .375rem; letter-spacing: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav .more { margin-top: 1.5rem; border-top: 1px solid var(--line); padding-top: .75rem; }
nav li a { display: block; padding: .2rem .5rem; margin: 0 -.5rem; border-radius: 5px; color: var(--ink); text-decoration: none; }
nav li a:hover { background: var(--sunken); }
nav a[aria-current] { background: var(--sunken); font-weight: 600; }
main { padding: 3rem clamp(1.25rem, 4vw, 4rem) 6rem; display: grid; grid-template-columns: minmax(0, 48rem) minmax(0, 14rem); gap: 3rem; align-items: start; }
article { min-width: 0; overflow-wrap: anywhere; }
article h1 { font-size: clamp(1.75rem, 3vw, 2.25rem); letter-spacing: -.03em; margin-bottom: 1rem; }
article h2 { font-size: 1.375rem; margin: 2.75rem 0 .75rem; padding-bottom: .375rem; border-bottom: 1px solid var(--line); }
article h3 { font-size: 1.0625rem; margin: 2rem 0 .5rem; }
article p, article ul, article ol { margin: .75rem 0; } article li { margin: .25rem 0; }
article img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
article :is(p, li, td, th) > code { background: var(--sunken); border-radius: 4px; padding: .1rem .3rem; }
article pre { background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; padding: .875rem 1rem; overflow-x: auto; line-height: 1.55; }
article blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 3px solid var(--line); color: var(--soft); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9375rem; min-width: 60%; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); min-width: 6rem; }
td code { overflow-wrap: normal; }
aside { position: sticky; top: 3rem; font-size: .875rem; max-height: calc(100vh - 6rem); overflow-y: auto; }
aside h2 { font-size: .8125rem; color: var(--soft); font-weight: 600; letter-spacing: 0; }
aside ul { list-style: none; padding: 0; margin: .5rem 0; } aside li { margin: .3rem 0; line-height: 1.4; }
aside a { color: var(--soft); text-decoration: none; } aside a:hover { color: var(--accent); text-decoration: underline; }
.hits { list-style: none; padding: 0; } .hits li { border-top: 1px solid var(--line); padding: .75rem 0; margin: 0; }
.hits small { color: var(--soft); } .hits p { margin: .25rem 0 0; color: var(--soft); }
@media (max-width: 1180px) { main { grid-template-columns: minmax(0, 52rem); } aside { display: none; } }
@media (max-width: 800px) {
  .shell { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  .rail { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem 1.25rem; }
  .list > summary { display: list-item; margin-top: .75rem; cursor: pointer; color: var(--accent); padding: .25rem 0; }
  .list:not([open])::details-content { content-visibility: hidden; }
  main { padding-top: 1.5rem; }
}
@media print { .rail, aside { display: none; } .shell, main { display: block; } }
`;
