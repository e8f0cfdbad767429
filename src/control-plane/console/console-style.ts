/** Forms, tables and the frame of the console, on top of the base style. */
export const consoleStyle = `
:root {
  --bad: light-dark(#a3201a, #ff9a91);
  --bad-paper: light-dark(#fdf1f0, #2a1614);
  --good: light-dark(#0a6b4e, #5fd3a8);
  --good-paper: light-dark(#eef8f4, #10241d);
  --field: light-dark(#ffffff, #0a0e12);
  --field-line: light-dark(#868f9b, #6b7683);
  --button: light-dark(#0b5bb5, #1f69bd);
  --button-over: light-dark(#084a95, #2a78d0);
}
body { min-height: 100vh; }
button, input, select { font: inherit; color: inherit; }
button { cursor: pointer; min-height: 2.5rem; padding: .4rem 1rem; border-radius: 6px; border: 1px solid transparent; background: var(--button); color: #fff; font-weight: 560; }
button:hover { background: var(--button-over); }
button.quiet { background: transparent; color: var(--ink); border-color: var(--line); font-weight: 450; }
button.quiet:hover { background: var(--raised); }
button.danger { background: transparent; color: var(--bad); border-color: var(--line); font-weight: 450; }
button.danger:hover { background: var(--bad-paper); border-color: currentColor; }
button:focus-visible, input:focus-visible, select:focus-visible, .asks > summary:focus-visible, .menu > summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
input, select { width: 100%; min-height: 2.5rem; padding: .4rem .7rem; border: 1px solid var(--field-line); border-radius: 6px; background: var(--field); }
input[aria-invalid] { border-color: var(--bad); }
label { display: block; font-weight: 560; font-size: .925rem; margin-bottom: .3rem; }
.field { margin: 0 0 1.1rem; }
.hint { margin: -.2rem 0 .4rem; color: var(--soft); font-size: .875rem; }
.problem { margin: -.1rem 0 .4rem; color: var(--bad); font-size: .9rem; }
.box { margin: 0 0 1.4rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
.box.bad { background: var(--bad-paper); border-color: color-mix(in srgb, var(--bad) 35%, transparent); color: var(--bad); }
.box.warn { border-color: color-mix(in srgb, var(--warn-ink, currentColor) 45%, transparent); }
.box.good { background: var(--good-paper); border-color: color-mix(in srgb, var(--good) 35%, transparent); }
/* Names without a space break where the line ends, wherever they stand. */
:is(h1, h2, h3, p, li, dd, label, legend, summary, .box code) { overflow-wrap: anywhere; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
summary { cursor: pointer; }
`;

/** Pages of people who are not signed in: one card in the middle. */
export const cardStyle = `
main { width: min(25rem, 100%); margin: 0 auto; padding: clamp(2rem, 12vh, 7rem) 1.25rem 3rem; }
.brand { font-size: 1.05rem; font-weight: 650; letter-spacing: -.02em; margin: 0 0 1.75rem; display: flex; align-items: center; gap: .55rem; }
.brand::before { content: ""; width: .7rem; height: .7rem; border-radius: 50%; background: var(--accent); box-shadow: 0 0 0 4px color-mix(in srgb, var(--accent) 22%, transparent); margin-left: 4px; }
h1 { font-size: 1.6rem; letter-spacing: -.025em; margin: 0 0 .5rem; }
.lead { color: var(--soft); margin: 0 0 1.6rem; }
h1 + form, h1 + .box { margin-top: 1.4rem; }
form button { width: 100%; margin-top: .3rem; }
.forgotten { margin: .9rem 0 0; text-align: center; }
.sso { margin: .9rem 0 0; }
.sso a { display: block; text-align: center; padding: .45rem 1rem; border: 1px solid var(--field-line); border-radius: 6px; color: var(--ink); text-decoration: none; }
.other .quiet { border-color: var(--field-line); }
.sso a:hover { background: var(--raised); }
.other { margin-top: 1.75rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }
.other summary { color: var(--soft); font-size: .925rem; padding: .3rem 0; }
.other form { margin-top: .9rem; }
`;

/** Pages of people who are signed in: a bar on top, the page below it. */
export const shellStyle = `
.bar { border-bottom: 1px solid var(--line); background: var(--raised); }
.bar > div, .content { max-width: 84rem; margin: 0 auto; padding-inline: clamp(1rem, 3vw, 2rem); }
.bar > div { display: flex; align-items: center; gap: .25rem 1.5rem; min-height: 3.25rem; padding-block: .4rem; flex-wrap: wrap; }
.bar .home { font-weight: 650; letter-spacing: -.02em; color: var(--ink); text-decoration: none; display: flex; align-items: center; gap: .5rem; }
.bar .home::before { content: ""; width: .6rem; height: .6rem; border-radius: 50%; background: var(--accent); }
.bar nav > ul { display: flex; flex-wrap: wrap; gap: .15rem; list-style: none; margin: 0; padding: 0; }
.bar nav a, .menu > summary { display: block; padding: .3rem .7rem; border-radius: 6px; color: var(--soft); text-decoration: none; font-size: .935rem; }
.bar nav a:hover, .menu > summary:hover, .menu[open] > summary { color: var(--ink); background: var(--sunken); }
.bar nav :is(a, summary)[aria-current] { color: var(--ink); background: var(--sunken); font-weight: 560; }
.menu { position: relative; }
.menu > summary { list-style: none; }
.menu > summary::-webkit-details-marker { display: none; }
.menu > summary::after { content: ""; display: inline-block; width: .4rem; height: .4rem; border: solid var(--soft); border-width: 0 1.5px 1.5px 0; transform: rotate(45deg); margin: 0 .2rem .15rem .6rem; }
.menu > :not(summary) { position: absolute; top: calc(100% + .4rem); z-index: 3; border: 1px solid var(--line); border-radius: 10px; background: light-dark(#ffffff, #1b222a); box-shadow: 0 8px 28px rgb(0 0 0 / .16); }
.menu > ul { left: 0; width: 13rem; margin: 0; padding: .4rem; list-style: none; }
.bar > div > .find { margin-left: auto; padding: .25rem .7rem; border: 1px solid var(--line); border-radius: 6px; color: var(--soft); text-decoration: none; font-size: .9rem; }
.bar .find:hover { color: var(--ink); border-color: var(--soft); }
.find kbd { font: .8em var(--mono); margin-left: .35rem; }
@media (pointer: coarse) and (hover: none) { .find kbd, #show-keys { display: none; } }
form.find { display: flex; gap: .6rem; max-width: 46rem; margin: 1rem 0; }
form.find button { flex: none; }
#palette { width: min(38rem, calc(100vw - 2rem)); max-width: none; margin: 12vh auto auto; padding: .9rem; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); color: var(--ink); box-shadow: 0 20px 60px rgb(0 0 0 / .3); }
#palette::backdrop { background: rgb(0 0 0 / .35); }
#palette .hint { margin: .7rem .2rem .1rem; }
.found { list-style: none; margin: .6rem 0 0; padding: 0; max-height: 55vh; overflow-y: auto; }
.content .found { max-height: none; max-width: 46rem; }
.found a { display: flex; justify-content: space-between; gap: 1rem; padding: .45rem .7rem; border-radius: 6px; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.found a:is(:hover, :focus-visible) { background: var(--sunken); }
.found small { color: var(--soft); white-space: nowrap; }
.me { font-size: .935rem; }
.me > summary { color: var(--ink); max-width: 16rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.me > div { right: 0; width: 19.5rem; padding: .9rem; }
.me p { margin: 0 0 .7rem; overflow-wrap: anywhere; }
.me p span { display: block; color: var(--soft); font-size: .875rem; }
.me .links { display: grid; gap: .5rem; }
.me .links a { padding: .3rem 0; }
.me .links button { width: 100%; }
.me .choose { display: flex; gap: .25rem; align-items: center; margin: .25rem 0; font-size: .875rem; }
.me .choose span { flex: 1; color: var(--soft); }
.me .choose button { width: auto; min-height: 2rem; padding: .2rem .5rem; }
.me .choose [aria-pressed="true"] { background: var(--sunken); border-color: var(--soft); font-weight: 560; }
.content { padding-block: 2rem 4rem; }
.content > h1 { font-size: 1.6rem; letter-spacing: -.025em; margin-bottom: .35rem; }
.content > .lead { color: var(--soft); margin: 0 0 1.75rem; max-width: 62ch; }
section + section { margin-top: 2.75rem; }
section > h2 { font-size: 1.1rem; margin-bottom: .9rem; }
section > .hint { margin: -.5rem 0 1rem; }
.narrow { max-width: 26rem; }
.list { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; }
.list > li { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: .6rem 1.25rem; padding: .8rem 1rem; }
.list > li + li { border-top: 1px solid var(--line); }
.list .who { min-width: 0; }
.list .who strong { font-weight: 560; display: block; overflow-wrap: anywhere; }
.list .who span { color: var(--soft); font-size: .9rem; display: block; overflow-wrap: anywhere; }
.list .does { display: flex; gap: .5rem; align-items: center; }
.list .does form { display: flex; gap: .5rem; }
.list .does .field { margin: 0; }
.list .does select { width: 11rem; }
.list .does .fixed { min-width: 11rem; color: var(--soft); font-size: .9rem; }
.asks { position: relative; }
.asks > summary { display: flex; align-items: center; justify-content: center; min-width: 6.5rem; min-height: 2.5rem; padding: .4rem 1rem; line-height: 1.2; border: 1px solid var(--line); border-radius: 6px; color: var(--bad); }
.asks > summary::-webkit-details-marker { display: none; }
.asks > summary:hover { background: var(--bad-paper); }
.asks > div { position: absolute; right: 0; top: calc(100% + .4rem); z-index: 2; width: 17rem; padding: .9rem; border: 1px solid var(--line); border-radius: 10px; background: light-dark(#ffffff, #1b222a); box-shadow: 0 8px 28px rgb(0 0 0 / .16); }
.asks p { margin: 0 0 .8rem; }
.row { display: grid; grid-template-columns: minmax(0, 1fr) 11rem auto; gap: 0 1rem; align-items: end; max-width: 46rem; }
.row button { margin-bottom: 1.1rem; }
.roles { color: var(--soft); font-size: .9rem; margin: .2rem 0 0; max-width: 62ch; }
@media (max-width: 62rem) { .bar nav { order: 3; flex-basis: 100%; margin-left: -.7rem; } .menu > ul { left: auto; right: 0; } }
@media (max-width: 40rem) {
  .content { padding-top: 1.25rem; }
  .bar nav { margin-left: -.5rem; position: relative; }
  .bar nav .menu { position: static; }
  .bar nav :is(a, .menu > summary) { padding-inline: .5rem; }
  .bar nav :is(a, summary)[aria-current] { font-weight: inherit; }
  .bar nav > ul { gap: .1rem; } .bar nav .menu > summary::after { margin-left: .35rem; }
  .menu > ul { left: .5rem; right: 0; width: auto; }
  .list > li, .row { grid-template-columns: minmax(0, 1fr); }
  .list .does { flex-wrap: wrap; }
  .list .does form:has(select) { flex: 1 1 100%; }
  .list .does form:has(select) .field { flex: 1; }
  .list .does select { width: 100%; }
  .asks > div, .me > div { width: min(17rem, calc(100vw - 2rem)); }
  .asks > div { left: 0; right: auto; }
  .row button { width: 100%; }
}
`;
