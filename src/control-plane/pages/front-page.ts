import { version } from "#daemon/version.ts";
import type { PageAnswer } from "../http/page-routes.ts";
import { frontPageTexts as texts } from "../texts/front-page.ts";
import { shellTexts } from "../texts/shell.ts";
import { html } from "../view/html.ts";
import { frontPageStyle } from "./front-page-style.ts";
import { guidePath } from "./guide/guide-addresses.ts";
import { page } from "./page.ts";

/** What answers at `/`: that this is a control plane, and where to go on. */
export function frontPage(): PageAnswer {
  const body = html`<main>
<h1>${shellTexts.product}</h1>
<p>${texts.lead(version)}</p>
<ul>
<li><a href="/sign-in">${texts.signIn}</a><span>${texts.aboutSignIn}</span></li>
<li><a href="${guidePath}">${texts.guide}</a><span>${texts.aboutGuide}</span></li>
<li><a href="/docs">${texts.reference}</a><span>${texts.aboutReference}</span></li>
<li><a href="/openapi.json">${texts.document}</a><span>${texts.aboutDocument}</span></li>
<li><a href="/health">${texts.health}</a><span>${texts.aboutHealth}</span></li>
</ul>
</main>`;
  return page({ title: shellTexts.product, style: frontPageStyle, body });
}
