import { version } from "#daemon/version.ts";
import { roleAllows } from "#domain/key.ts";
import { actionTexts } from "../../texts/actions.ts";
import { locationKeyTexts as texts } from "../../texts/locations.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { part } from "../facts.ts";
import { postForm, problemBox } from "../form-view.ts";
import type { Visit } from "../visit.ts";
import { agentCommands } from "./agent-commands.ts";
import type { LocationReading } from "./location-reading.ts";

/** A location has no more: one in use, and one to replace it with. */
const mostKeys = 2;

/** The only place where a raw key ever stands, on the page that answers its making. */
export function freshKey({ location }: LocationReading, rawKey: string, apiUrl: string): Html {
  const commands = agentCommands({ slugName: location.slugName, apiUrl, rawKey, version });
  const isLocal = /^(localhost|127\.|\[::1\])/.test(URL.parse(apiUrl)?.host ?? "");
  return html`<div class="box good fresh" role="status"><h2>${texts.startHeading}</h2>
<p>${texts.shownOnce(html`<code>${rawKey}</code>`, html`<code>${apiUrl}</code>`)}</p>
${isLocal && html`<p>${texts.localAddress}</p>`}
${commands.map(
  ({ name, hint, lines }, index) => html`<details name="commands"${index === 0 && html` open`}><summary>${name}</summary>
<p class="hint">${hint}</p>
<pre class="commands" tabindex="0" role="region" aria-label="${texts.commandsFor(name)}">${lines}</pre></details>`,
)}</div>`;
}

/** Keys, masked; for those who may write, making one more and revoking one. */
export function keySection(visit: Visit, { location, agents }: LocationReading, problem: string | undefined): Html {
  const mayWrite = roleAllows(visit.role, "write");
  const rows = location.keys.map((key) => {
    const using = agents.filter(({ keyId, state }) => keyId === key.id && (state === "connected" || state === "stopping")).length;
    const used = using === 0 ? texts.unused : texts.usedBy(using);
    return html`<li><div class="who"><strong><code>${key.maskedKey}</code></strong><span>${texts.madeAndUsed(timeElement(Date.parse(key.created_at)), used)}</span></div>
${mayWrite && html`<div class="does">${revokeForm(visit, location.id, key, using)}</div>`}</li>`;
  });
  const list = rows.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="list keys">${rows}</ul>`;
  return part(
    mayWrite ? texts.writeHeading : texts.heading,
    problemBox(problem) || html``,
    list,
    mayWrite ? addForm(visit, location) : html``,
  );
}

function addForm(visit: Visit, { id, keys }: LocationReading["location"]): Html {
  if (keys.length >= mostKeys) {
    return html`<p class="soft addkey">${texts.most(mostKeys)}</p>`;
  }
  const button = html`<button>${texts.make}</button>`;
  return html`<p class="soft addkey">${texts.mayShare}</p>
${postForm(`/locations/${id}/keys`, visit.csrf, button)}`;
}

function revokeForm(visit: Visit, locationId: string, key: LocationReading["location"]["keys"][number], using: number): Html {
  const question = using === 0 ? texts.askRevoke : texts.askRevokeUsed(using);
  return confirmedAction(
    visit.csrf,
    `/locations/${locationId}/keys/${key.id}/remove`,
    question,
    actionTexts.revoke,
    texts.theKey(key.maskedKey),
  );
}
