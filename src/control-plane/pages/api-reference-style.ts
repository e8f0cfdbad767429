/** Style of the API reference: a rail of links, a column of prose and fields, code beside it on wide screens. */
export const apiReferenceStyle = `
.shell { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); min-height: 100vh; overflow-x: clip; }
nav { border-right: 1px solid var(--line); background: var(--raised); padding: 1.75rem 1.25rem 3rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; font-size: .875rem; }
nav .brand { font-weight: 650; font-size: 1.125rem; letter-spacing: -.02em; color: var(--ink); text-decoration: none; display: flex; align-items: baseline; gap: .5rem; }
nav .brand small { color: var(--soft); font-weight: 400; font-size: .75rem; }
nav h2 { font-size: .75rem; font-weight: 600; color: var(--soft); margin: 1.5rem 0 .375rem; letter-spacing: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: grid; grid-template-columns: 2.9rem 1fr; gap: .25rem; align-items: baseline; padding: .2rem .375rem; margin: 0 -.375rem; border-radius: 5px; color: var(--ink); text-decoration: none; line-height: 1.4; }
nav li a:hover { background: var(--sunken); }
nav .plain a { display: block; }
.verb { font: 650 .6875rem/1 var(--mono); letter-spacing: .02em; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }
main { padding: 3rem clamp(1.25rem, 4vw, 4rem) 6rem; max-width: 84rem; }
main > header h1 { font-size: clamp(1.875rem, 3vw, 2.5rem); letter-spacing: -.03em; }
main > header p { max-width: 62ch; color: var(--soft); font-size: 1.0625rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1.75rem 2.5rem; margin: 2.5rem 0 1rem; }
.facts h2 { font-size: .9375rem; margin-bottom: .25rem; }
.facts p { margin: 0; color: var(--soft); font-size: .9375rem; }
section.tag { margin-top: 4.5rem; }
section.tag > h2 { font-size: 1.5rem; padding-bottom: .75rem; border-bottom: 2px solid var(--ink); }
article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(18rem, 30rem); gap: 1rem 3rem; padding: 2.5rem 0; border-bottom: 1px solid var(--line); }
article:target > .prose > h3 a { background: color-mix(in srgb, var(--accent) 14%, transparent); border-radius: 4px; }
article h3 { font-size: 1.125rem; }
article h3 a { color: inherit; text-decoration: none; }
article h3 a:hover::after { content: " #"; color: var(--soft); }
.route { display: flex; gap: .625rem; align-items: baseline; margin: .5rem 0 0; overflow-wrap: anywhere; }
.route .verb { font-size: .8125rem; }
.access { color: var(--soft); margin: .625rem 0 0; font-size: .9375rem; }
h4 { font-size: .875rem; margin: 1.5rem 0 .25rem; }
.fields { margin: 0; }
.field { padding: .5rem 0; border-top: 1px solid var(--line); }
.fields > .field:first-child { border-top: 0; }
.field dt { display: flex; flex-wrap: wrap; gap: .125rem .5rem; align-items: baseline; }
.field dt, .field dd { min-width: 0; overflow-wrap: anywhere; }
.field dd { margin: 0; } .field dd p { margin: .125rem 0 0; color: var(--soft); font-size: .9375rem; max-width: 65ch; }
.name { font-weight: 650; font-size: .875rem; }
.type, .bound { color: var(--soft); font-size: .875rem; }
.required { color: var(--delete); font-size: .8125rem; }
.values { flex-basis: 100%; font-size: .8125rem; line-height: 1.9; }
.values code { background: var(--sunken); border-radius: 4px; padding: .125rem .375rem; }
details { margin: .375rem 0 .25rem; border-left: 2px solid var(--line); padding-left: .875rem; }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; width: fit-content; }
.code { position: sticky; top: 1.5rem; align-self: start; display: grid; gap: .75rem; min-width: 0; }
.code h4 { margin: 0; color: var(--soft); font-weight: 600; display: flex; justify-content: space-between; gap: 1rem; }
.code h4 small { font-weight: 400; }
pre { margin: .25rem 0 0; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; padding: .875rem 1rem; overflow-x: auto; line-height: 1.55; font-size: .8125rem; max-height: 26rem; }
pre.copy { user-select: all; -webkit-user-select: all; }
.statuses { list-style: none; padding: 0; margin: .25rem 0 0; font-size: .9375rem; }
.statuses li { display: grid; grid-template-columns: 2.75rem 1fr; padding: .2rem 0; }
.statuses code { font-weight: 650; } .statuses span { color: var(--soft); }
.schema { padding: 1.5rem 0; border-bottom: 1px solid var(--line); }
.schema h3 { font: 650 1rem/1.4 var(--mono); }
@media (max-width: 1100px) { article { grid-template-columns: minmax(0, 1fr); } .code { position: static; } }
@media (max-width: 800px) { .shell { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding-top: 2rem; } }
@media print { nav, .code { display: none; } .shell, article { display: block; } details { display: block; } }
`;
