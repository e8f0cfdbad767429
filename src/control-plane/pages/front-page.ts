import { version } from "#daemon/version.ts";
import type { PageAnswer } from "../http/page-routes.ts";
import { html } from "./html.ts";
import { page } from "./page.ts";

const style = `
main { max-width: 40rem; margin: 0 auto; padding: clamp(3rem, 14vh, 9rem) 1.5rem; }
h1 { font-size: 2.25rem; letter-spacing: -.03em; }
p { color: var(--soft); max-width: 52ch; }
ul { list-style: none; padding: 0; margin: 2rem 0 0; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); padding: .75rem 0; display: flex; gap: 1rem; justify-content: space-between; flex-wrap: wrap; }
li span { color: var(--soft); }
`;

/** What answers at `/`: that this is a control plane, and where to go on. */
export function frontPage(): PageAnswer {
  const body = html`<main>
<h1>Outpost</h1>
<p>This control plane schedules checks, gives them to the agents in your networks and keeps their results. Version ${version}.</p>
<ul>
<li><a href="/sign-in">Sign in</a><span>members of the account, and API keys</span></li>
<li><a href="/docs">API reference</a><span>every operation, with examples</span></li>
<li><a href="/openapi.json">OpenAPI document</a><span>the same for machines</span></li>
<li><a href="/health">Health</a><span>whether the store answers</span></li>
</ul>
</main>`;
  return page({ title: "Outpost", style, body });
}
