import { getCheckBadge, getGroupBadge } from "#contract/badges.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { part, verbatim } from "../facts.ts";

const texts = checkPageTexts.badge;

/** How to put the badges of a check and its group into other pages. Nobody sees badges of deactivated checks. */
export function badgeSection(check: CheckRead, publicUrl: string): Html {
  if (!check.activated) return html``;
  const { groupId } = check as { readonly groupId?: number | null };
  const ofCheck = getCheckBadge.path.replace("{checkId}", check.id);
  const lines = html`<details><summary>${texts.summary}</summary>
${badgeLines(texts.ofCheck, check.name, ofCheck, publicUrl)}
${typeof groupId === "number" && badgeLines(texts.ofGroup, texts.group, getGroupBadge.path.replace("{groupId}", String(groupId)), publicUrl)}</details>`;
  return part(texts.title, html`<p class="soft">${texts.about}</p>${lines}`);
}

function badgeLines(title: string, name: string, path: string, publicUrl: string): Html {
  const url = `${publicUrl}${path}`;
  const markdown = `![${name.replace(/[\\[\]]/g, "\\$&")}](${url})`;
  const lines = `${markdown}\n${html`<img src="${url}" alt="${name}">`.text}`;
  return html`<p><a href="${path}">${title}</a></p>${verbatim(lines, title)}`;
}
