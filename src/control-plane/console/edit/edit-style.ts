/** Of forms that are longer than a card. */
export const editStyle = `
.crumbs { font-size: .9rem; color: var(--soft); margin: 0 0 .4rem; overflow-wrap: anywhere; }
.edit { display: grid; grid-template-columns: minmax(0, 46rem); gap: 1.4rem 2.5rem; align-items: start; margin-top: 1.4rem; }
.edit .try { border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem 1.2rem; background: var(--raised); min-width: 0; }
.try h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
.try > .hint { margin: 0 0 1rem; }
.try p:has(> button) { margin: 0; }
.try .at { max-height: 15rem; overflow-y: auto; padding-left: 3px; }
.try .run { margin: 1.1rem 0 0; background: var(--paper); }
.try .run .hint { margin: .4rem 0 0; }
.try .runs > .again { margin: .8rem 0 0; }
.try .box { margin: 1.1rem 0 0; }
#tried:empty { display: none; }
@media (min-width: 72rem) { .edit:has(.try) { grid-template-columns: minmax(0, 46rem) minmax(18rem, 1fr); } .edit .try { position: sticky; top: 1.25rem; } }
fieldset { border: 1px solid var(--line); border-radius: 10px; margin: 0 0 1.4rem; padding: .9rem 1.2rem .3rem; min-width: 0; }
legend { font-weight: 640; padding: 0 .4rem; margin-left: -.4rem; }
textarea { font: inherit; font-family: var(--mono); font-size: .875rem; color: inherit; width: 100%; padding: .5rem .7rem; border: 1px solid var(--field-line); border-radius: 6px; background: var(--field); resize: vertical; }
textarea:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
:is(textarea, select)[aria-invalid] { border-color: var(--bad); }
.editor { position: relative; }
.editor :is(textarea, pre) { font: .875rem/1.5 var(--mono); white-space: pre; overflow-wrap: normal; tab-size: 2; padding: .5rem .7rem .5rem 3.6rem; }
.editor textarea { display: block; overflow: auto; }
.editor:not(.colourless) textarea { color: transparent; caret-color: var(--ink); }
.editor pre { position: absolute; inset: 0; margin: 0; border: 1px solid transparent; border-radius: 6px; background: none; overflow: hidden; pointer-events: none; padding-bottom: 2rem; }
.editor .lines { right: auto; width: 3.1rem; padding: .5rem .5rem 2rem 0; text-align: right; color: var(--soft); background: var(--field); border-color: var(--field-line) transparent var(--field-line) var(--field-line); border-radius: 6px 0 0 6px; }
.editor .lines .wrong { display: inline-block; width: 100%; color: var(--bad-ink); font-weight: 700; background: var(--sunken); }
.editor .comment { color: var(--soft); }
.editor :is(.string, .number) { color: var(--good); }
.editor .keyword { color: var(--accent); }
.editor .words { position: absolute; z-index: 1; margin: 0; padding: .2rem 0; max-height: 15em; min-width: 12ch; overflow: auto; list-style: none; font: .875rem/1.5 var(--mono); color: var(--ink); background: var(--field); border: 1px solid var(--field-line); border-radius: 6px; }
.editor .words li { padding: 0 .7rem; cursor: pointer; }
.editor .words li[aria-selected="true"] { background: var(--sunken); box-shadow: inset 3px 0 var(--accent); }
@media (forced-colors: active) { .editor textarea { color: CanvasText !important; } .editor .shade { display: none; } }
.short { max-width: 14rem; display: block; }
.flag { font-weight: 450; display: flex; gap: .55rem; align-items: center; margin: 0 0 .7rem; min-height: 1.75rem; }
.flag input { width: 1.1rem; min-height: 1.1rem; height: 1.1rem; flex: none; accent-color: var(--button); }
.field .label { font-weight: 560; font-size: .925rem; margin: 0 0 .4rem; }
.edit details { margin: 0 0 1rem; }
.edit details > summary { color: var(--soft); margin-bottom: .7rem; }
.wide { overflow-x: auto; margin-bottom: .8rem; }
.variables, .assertions { border-collapse: collapse; width: 100%; min-width: 36rem; }
:is(.variables, .assertions) th { text-align: left; font-size: .85rem; font-weight: 560; color: var(--soft); padding: 0 .5rem .3rem 0; }
:is(.variables, .assertions) td { padding: .2rem .5rem .2rem 0; vertical-align: top; width: 25%; }
.edit:not(.with-script) :is(.scripted, .assertable) { display: none; }
:is(.variables, .assertions) td.scripted { width: 1%; }
.assertions .scripted button { min-width: 2.5rem; padding-inline: .5rem; }
.pair-rows > div { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr) auto; gap: .5rem; margin-bottom: .4rem; }
.pair-rows .columns { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); margin-bottom: .15rem; padding-right: 3rem; font-size: .85rem; color: var(--soft); }
.pair-rows .columns span::first-letter { text-transform: uppercase; }
.pair-rows button { min-width: 2.5rem; padding-inline: .5rem; }
.pair-acts { display: flex; gap: .5rem; margin: 0; }
.assertable ul { list-style: none; margin: .4rem 0 0; padding: 0; max-height: 18rem; overflow-y: auto; }
.assertable button { width: 100%; min-height: 2rem; padding: .15rem .5rem; text-align: left; font-size: .875rem; overflow-wrap: anywhere; }
.edit:has([name="request.bodyType"] > [value="NONE"]:checked) .field:has([name="request.body"]) { display: none; }
nav.lead li a { display: inline-block; padding-block: .25rem; }
.box:has(> p + ul) > p { margin: 0 0 .3rem; }
.box > p + ul { margin: 0; padding-left: 1.2rem; }
.types a { color: var(--ink); text-decoration: none; display: block; margin: -.8rem -1rem; padding: .8rem 1rem; grid-column: 1 / -1; border-radius: 10px; }
.types a:hover { background: var(--raised); }
.types span { color: var(--soft); margin-left: .5rem; }
.send { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0; }
.edit > div > .send { position: sticky; bottom: 0; z-index: 1; padding: .75rem 0; background: var(--paper); border-top: 1px solid var(--line); }
.edit > div > .send .unsaved { align-self: center; color: var(--soft); font-size: .9rem; }
html { scroll-padding-bottom: 5.5rem; }
.edit ~ :is(.live, #run) { max-width: 46rem; }
.edit ~ .live { margin: 1rem 0 .4rem; }
.types { max-width: 46rem; }
.edit ~ .asks { display: inline-block; margin-top: 1rem; }
.edit ~ .asks > div { left: 0; right: auto; }
`;
