import { timesScript } from "../../src/control-plane/pages/browser-scripts.ts";
import { html } from "../../src/control-plane/view/html.ts";

/** A page without the scripts that its policy allows: what tells times, and modules of ours. Any other stays. */
export function withoutOurScripts(page: string): string {
  const times = `<script type="module">${timesScript(html`<time >`)}</script>`;
  return page
    .replace(times, "")
    .replaceAll(/<script type="module" src="\/assets\/[0-9a-f]{16}\/[\w-]+\.js" nonce="[\w+/=]+"><\/script>/g, "");
}
