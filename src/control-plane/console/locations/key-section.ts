import { version } from "#daemon/version.ts";
import { roleAllows } from "#domain/key.ts";
import { type Html, html } from "../../pages/html.ts";
import { countText, timeElement } from "../../pages/public/units.ts";
import { postForm, problemBox } from "../form-view.ts";
import { part } from "../result/facts.ts";
import type { Visit } from "../visit.ts";
import { agentCommands } from "./agent-commands.ts";
import type { LocationReading } from "./location-reading.ts";

/** A location has no more: one in use, and one to replace it with. */
const mostKeys = 2;

/** The only place where a raw key ever stands, on the page that answers its making. */
export function freshKey({ location }: LocationReading, rawKey: string, apiUrl: string): Html {
  const commands = agentCommands({ slugName: location.slugName, apiUrl, rawKey, version });
  const isLocal = /^(localhost|127\.|\[::1\])/.test(URL.parse(apiUrl)?.host ?? "");
  return html`<div class="box good fresh" role="status"><h2>Start an agent with this key</h2>
<p>The key <code>${rawKey}</code> is shown only now. The agent opens all connections: it needs to reach <code>${apiUrl}</code> and nothing has to reach it.</p>
${isLocal && html`<p>That address is of this machine alone. For agents elsewhere put the one that they reach into the lines below, or set PUBLIC_URL.</p>`}
${commands.map(
  ({ name, hint, lines }, index) => html`<details name="commands"${index === 0 && html` open`}><summary>${name}</summary>
<p class="hint">${hint}</p>
<pre class="commands" tabindex="0" role="region" aria-label="Commands for ${name}">${lines}</pre></details>`,
)}</div>`;
}

/** Keys, masked; for those who may write, making one more and revoking one. */
export function keySection(visit: Visit, { location, agents }: LocationReading, problem: string | undefined): Html {
  const mayWrite = roleAllows(visit.role, "write");
  const rows = location.keys.map((key) => {
    const using = agents.filter(({ keyId, state }) => keyId === key.id && (state === "connected" || state === "stopping")).length;
    const used = using === 0 ? "no agent uses it now" : `${countText(using, "agent")} ${using === 1 ? "uses" : "use"} it`;
    return html`<li><div class="who"><strong><code>${key.maskedKey}</code></strong><span>made ${timeElement(Date.parse(key.created_at))} · ${used}</span></div>
${mayWrite && html`<div class="does">${revokeForm(visit, location.id, key, using)}</div>`}</li>`;
  });
  const list = rows.length === 0 ? html`<p class="box">No key: no agent can connect.</p>` : html`<ul class="list keys">${rows}</ul>`;
  return part(
    mayWrite ? "Add an agent, replace a key" : "Keys",
    problemBox(problem) || html``,
    list,
    mayWrite ? addForm(visit, location) : html``,
  );
}

function addForm(visit: Visit, { id, keys }: LocationReading["location"]): Html {
  if (keys.length >= mostKeys) {
    return html`<p class="soft addkey">Agents share a key: start more with one that you have. A location has at most ${mostKeys} keys; revoke one to make another.</p>`;
  }
  const button = html`<button>Make a key and show how to start an agent</button>`;
  return html`<p class="soft addkey">Agents may share a key. To replace one: make the second, restart the agents with it, revoke the first.</p>
${postForm(`/locations/${id}/keys`, visit.csrf, button)}`;
}

function revokeForm(visit: Visit, locationId: string, key: LocationReading["location"]["keys"][number], using: number): Html {
  const effect =
    using === 0
      ? "No agent can connect with it any more."
      : `${countText(using, "agent")} that connected with it ${using === 1 ? "loses" : "lose"} the connection within 5 seconds.`;
  return html`<details class="asks"><summary>Revoke<span class="hidden"> the key ${key.maskedKey}</span></summary><div>
<p>Revoke this key? ${effect}</p>
${postForm(`/locations/${locationId}/keys/${key.id}/remove`, visit.csrf, html`<button class="danger">Revoke</button>`)}
</div></details>`;
}
