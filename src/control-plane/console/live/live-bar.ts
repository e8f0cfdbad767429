import { liveTexts as texts } from "../../texts/live.ts";
import { type Html, html } from "../../view/html.ts";

/** Whether the page is live, told by its script; empty without one. `address` is what it listens to. */
export function liveBar(address: string, more: Html = html``): Html {
  return html`<div class="live" id="live" data-address="${address}" data-live="${texts.live}" data-waiting="${texts.waiting}" data-off="${texts.off}" data-just-now="${texts.justNow}" data-ago="${texts.ago("#")}"><p class="mark"></p><p class="hidden" role="status"></p>${more}</div>`;
}

export const liveStyle = `
.live { display: flex; justify-content: flex-end; align-items: center; gap: .3rem 1rem; flex-wrap: wrap; min-height: 1.75rem; margin: -.6rem 0 .6rem; font-size: .86rem; color: var(--soft); }
.live p { margin: 0; }
.live .mark:not(:empty)::before { content: ""; display: inline-block; width: .55rem; height: .55rem; margin-right: .45rem; border-radius: 50%; background: var(--soft); }
.live .mark[data-is="live"]::before { background: var(--ok); }
.live .mark[data-is="waiting"]::before { background: var(--warn); }
:is(.does, .views) > .live { margin: 0 0 0 auto; min-height: 0; }
.live button { min-height: 1.75rem; padding: .1rem .6rem; font-size: .86rem; }
.live kbd, dialog kbd { font: inherit; font-family: var(--mono); font-size: .85em; border: 1px solid var(--line); border-radius: 4px; padding: 0 .35em; background: var(--raised); }
dialog { border: 1px solid var(--line); border-radius: 12px; padding: 1.2rem 1.4rem; background: var(--paper); color: var(--ink); max-width: min(26rem, calc(100vw - 2rem)); font-size: 1rem; }
dialog::backdrop { background: rgb(0 0 0 / .35); }
dialog h2 { margin: 0 0 .8rem; font-size: 1.1rem; }
dialog dl { display: grid; grid-template-columns: auto 1fr; gap: .5rem 1.2rem; margin: 0 0 1.2rem; }
dialog dd { margin: 0; }
`;
