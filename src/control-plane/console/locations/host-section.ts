import type { LocationHost } from "#contract/location-hosts.ts";
import { roleAllows } from "#domain/key.ts";
import { hostTexts as texts } from "../../texts/locations.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { timeElement } from "../../view/units.ts";
import { part } from "../facts.ts";
import { field, postForm, problemBox } from "../form-view.ts";
import type { Visit } from "../visit.ts";
import type { LocationReading } from "./location-reading.ts";

const tones: Readonly<Record<LocationHost["state"], Tone>> = { admitted: "ok", waiting: "warn", refused: "bad" };

/** From where agents come; for those who may write, which of them may, and how many by themselves. */
export function hostSection(visit: Visit, { location, hosts }: LocationReading, problem: string | undefined): Html {
  const mayWrite = roleAllows(visit.role, "write");
  const rows = hosts.map((host) => {
    const about = texts.about(timeElement(Date.parse(host.firstSeen)), timeElement(Date.parse(host.lastSeen)));
    return html`<li><div class="who"><strong><code>${host.address}</code> ${host.name}</strong><span>${stateLabel(tones[host.state], texts.states[host.state])} · ${about}</span></div>
${mayWrite && html`<div class="does">${choices(visit, location.id, host)}</div>`}</li>`;
  });
  const list = rows.length === 0 ? html`<p class="soft">${texts.none}</p>` : html`<ul class="list">${rows}</ul>`;
  return part(
    texts.heading,
    problemBox(problem) || html``,
    list,
    mayWrite ? limitForm(visit, location) : html`<p class="soft">${texts.limitIs(location.hostLimit)}</p>`,
  );
}

function choices(visit: Visit, locationId: string, host: LocationHost): Html {
  const to = (state: "admitted" | "refused" | "forgotten", text: string): Html =>
    postForm(
      `/locations/${locationId}/hosts/${host.id}`,
      visit.csrf,
      html`<input type="hidden" name="state" value="${state}"><button class="quiet" aria-label="${texts.does(text, host.address)}">${text}</button>`,
    );
  return html`${host.state !== "admitted" && to("admitted", texts.admit)}${host.state !== "refused" && to("refused", texts.refuse)}${to("forgotten", texts.forget)}`;
}

function limitForm(visit: Visit, { id, hostLimit }: LocationReading["location"]): Html {
  const content = html`${field({
    name: "hostLimit",
    label: texts.limit,
    hint: texts.limitHint,
    value: hostLimit === null ? "" : String(hostLimit),
    autocomplete: "off",
    isOptional: true,
    maxLength: 3,
  })}
<div class="send"><button class="quiet">${texts.save}</button></div>`;
  return postForm(`/locations/${id}/host-limit`, visit.csrf, content);
}
