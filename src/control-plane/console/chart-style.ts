/** Charts over time, as the server draws them and as the module `charts` does. The lower half is what uPlot needs. */
export const chartStyle = `
.when { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: baseline; margin-bottom: 1rem; }
.when .ranges { flex-wrap: wrap; margin: 0; }
.when .other { margin: 0; flex: 1 1 12rem; }
.when .other[open] { flex-basis: 100%; }
.span { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin-top: .5rem; }
.span .field { margin: 0; flex: 0 1 14rem; min-width: min(13rem, 100%); }
.chosen { margin: 0 0 1rem; display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; }
.compare { margin: 0 0 1.25rem; }
.compare fieldset { border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; }
.compare legend { float: left; padding: 0; margin-right: .4rem; color: var(--soft); font-size: .93rem; }
.compare .tick { display: flex; gap: .45rem; align-items: center; font-weight: 400; font-size: .93rem; margin: 0; overflow-wrap: anywhere; }
.compare .tick input { width: 1.05rem; height: 1.05rem; min-height: 0; margin: 0; flex: none; accent-color: var(--accent); }
.compare button { min-height: 2rem; padding: .15rem .8rem; font-size: .93rem; }
.compare .hint { margin: .4rem 0 0; }
.overtime { display: grid; gap: 1.75rem; margin-bottom: 1.25rem; border-color: var(--line); }
.chart { margin: 0; min-width: 0; }
.chart figcaption { font-weight: 560; font-size: .95rem; margin-bottom: .6rem; display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; }
.chart figcaption .soft { font-weight: 400; font-size: .86rem; }
.chart .moment { margin-left: auto; font-weight: 400; font-size: .86rem; font-variant-numeric: tabular-nums; color: var(--soft); }
.plot .band { stroke: none; }
.plot .band.b0 { fill-opacity: .2; }
.plot .band.b1 { fill-opacity: .09; }
.plot .band.s0 { fill: light-dark(#0b63c5, #6cb0ff); }
.plot .band.s1 { fill: light-dark(#c2410c, #fb923c); }
.plot .band.s2 { fill: light-dark(#7c3aed, #b794f6); }
.plot .band.s3 { fill: light-dark(#0f766e, #4fd1c5); }
.plot .band.s4 { fill: light-dark(#be185d, #f687b3); }
.plot .band.s5 { fill: light-dark(#4d7c0f, #a3d65c); }
/* Nor are lines. The module that draws takes them from the legend. */
:is(.plot path, .legend path):is(.s1, .s4):not(.past, .band) { stroke-dasharray: 9 4; }
:is(.plot path, .legend path):is(.s2, .s5):not(.past, .band) { stroke-dasharray: 9 3 1 3; }
.chart[data-kind=stack] path { stroke: none; }
.chart .legend { list-style: none; padding: 0 0 0 4.6rem; margin: .5rem 0 0; gap: .3rem 1.5rem; font-variant-numeric: tabular-nums; }
.chart .legend li { display: flex; flex-wrap: wrap; align-items: center; overflow-wrap: anywhere; }
.legend svg.area { width: 10px; height: 10px; }
.legend .value { color: var(--ink); margin-left: .5rem; white-space: nowrap; }
.legend .value:empty { display: none; }
.legend button { display: inline-flex; align-items: center; min-height: 1.75rem; padding: 0 .35rem; margin-left: -.35rem; border-radius: 5px; background: none; color: inherit; font-weight: 400; text-align: left; overflow-wrap: anywhere; }
.legend button:hover { background: var(--sunken); color: var(--ink); }
.legend button[aria-pressed=false] { text-decoration: line-through; }
.legend button[aria-pressed=false] svg { opacity: .35; }
.legend button[aria-pressed=false] + .value { visibility: hidden; }
.plot .limit { stroke-dasharray: 5 4; } .limit.warn, .guides .warn { stroke: var(--warn-ink); } .limit.bad, .guides .bad { stroke: var(--bad-fill); }
.plot .past { stroke-dasharray: 1 3; opacity: .75; } .guides .past { stroke: currentColor; stroke-dasharray: 1 3; }
.guides { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin: .35rem 0 0; padding-left: 4.6rem; font-size: .86rem; color: var(--soft); }
.guides span { display: inline-flex; align-items: center; gap: .45rem; } .guides svg { width: 18px; height: 6px; flex: none; } .guides path { fill: none; stroke-width: 1.5; stroke-dasharray: 5 4; }
.multiples { list-style: none; margin: .5rem 0 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .8rem 1.5rem; font-size: .86rem; }
.multiples svg { display: block; width: 100%; height: 4.5rem; border-bottom: 1px solid var(--line); } .multiples path { fill: none; stroke-width: 1.75; }
.figures .soft { font-size: .8rem; font-weight: 400; display: block; }
.lanes { display: grid; grid-template-columns: 4rem minmax(0, 1fr); gap: .35rem .6rem; align-items: center; margin-top: -.6rem; font-size: .78rem; color: var(--soft); text-align: right; }
.lanes svg { display: block; width: 100%; height: 1.15rem; overflow: visible; background: var(--sunken); border-radius: 4px; }
.lanes circle { stroke: var(--paper); stroke-width: 1.5; }
circle.ok { fill: var(--ok); }
circle.bad { fill: var(--bad-fill); }
circle.warn { fill: var(--warn); }
circle.none { fill: var(--soft); }
circle.busy { fill: var(--accent); }
/* Not by their colour alone: what is well is a ring, what is bad has an edge. */
.lanes circle.ok { fill: var(--paper); stroke: var(--ok-ink); stroke-width: 2; }
.lanes circle.bad { stroke: var(--ink); }
.lanes rect.bad { fill-opacity: .75; }
.lanes rect.gap { fill: url(#hatched); stroke: var(--soft); stroke-width: 1; }
:is(.plot, .lanes) rect.held { fill: var(--soft); fill-opacity: .22; }
.lanes circle.held { fill: var(--soft); }
.lanes circle.gap { fill: var(--soft); }
.lanes pattern path { stroke: var(--soft); stroke-width: 2; }
.pings .plot path { stroke-width: 6; }
.pings .y { white-space: nowrap; }
.pings .plot { position: relative; }
@media (scripting: enabled) { .pings .plot svg { cursor: crosshair; } }
.pings .plot path:is(.period, .limit, .missed), .pings .plot line:is(.period, .limit) { stroke-width: 1.5; }
.pings .legend path { stroke-width: 6; }
.pings .legend path:is(.period, .limit, .missed) { stroke-width: 2; }
.pings .ok { stroke: var(--ok); }
.pings .early { stroke: light-dark(#7c3aed, #b794f6); }
.pings .grace { stroke: light-dark(#0f766e, #4fd1c5); }
.pings .late { stroke: var(--warn); }
.pings .missed { stroke: var(--bad-fill); stroke-opacity: .6; }
.pings .period { stroke: var(--soft); }
.pings .limit { stroke: var(--soft); stroke-dasharray: 4 4; }
.when-due dd { font-size: 1rem; }
.when-due dd .soft { display: block; font-size: .86rem; font-weight: 400; }
.tall > .wide { max-height: inherit; overflow: auto; }
.measured h3 { font-size: 1rem; margin: 1.5rem 0 .6rem; }
.tall { max-height: 26rem; overflow: auto; }
.tall thead th { position: sticky; top: 0; background: var(--paper); }
.over thead :is(th, td) { position: static; }
.over th[scope=colgroup] { text-align: left; padding-left: 1.25rem; color: var(--ink); }
.over tbody th { font-weight: 450; }
.drawn { position: relative; touch-action: pan-y; border-radius: 4px; }
.drawn:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
.uplot, .uplot *, .uplot *::before, .uplot *::after { box-sizing: border-box; }
.uplot { width: 100%; overflow: clip; line-height: 1.5; }
.u-wrap { position: relative; user-select: none; }
.u-over, .u-under { position: absolute; }
.u-over { cursor: crosshair; }
.u-under { overflow: hidden; }
.uplot canvas { display: block; position: relative; width: 100%; height: 100%; }
.u-axis, .u-cursor-x, .u-cursor-y, .u-select { position: absolute; }
.u-select { background: color-mix(in srgb, var(--accent) 16%, transparent); pointer-events: none; }
.u-cursor-x, .u-cursor-y { left: 0; top: 0; pointer-events: none; will-change: transform; height: 100%; border-right: 1px solid var(--soft); }
.u-cursor-pt { position: absolute; top: 0; left: 0; border-radius: 50%; border: 0 solid; pointer-events: none; will-change: transform; background-clip: padding-box; }
.u-axis.u-off, .u-select.u-off, .u-cursor-x.u-off, .u-cursor-y.u-off, .u-cursor-pt.u-off { display: none; }
@media (max-width: 40rem) {
  .when .ranges a { padding-inline: .6rem; }
  .chart .legend, .guides { padding-left: 0; }
  .span .field { flex-basis: 100%; }
}
`;
