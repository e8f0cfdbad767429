import type { PageAnswer } from "../../http/page-routes.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { html } from "../../view/html.ts";
import { publicPage } from "../public/public-page.ts";
import { dashboardStyle } from "./dashboard-style.ts";

/**
 * The same for a dashboard that does not exist and for a private one without a right key, so that nobody learns which it is.
 *
 * @param problem of a key that was sent
 */
export function lockedPage(problem?: string, pauseSeconds?: number): PageAnswer {
  return publicPage({
    title: texts.lockedTitle,
    style: dashboardStyle,
    favicon: null,
    images: [],
    canSendForms: true,
    status: pauseSeconds === undefined ? 404 : 429,
    headers: pauseSeconds === undefined ? {} : { "retry-after": String(pauseSeconds) },
    maxAgeSeconds: null,
    body: html`<main class="locked"><h1>${texts.lockedHeading}</h1>
<p class="soft">${texts.lockedExplanation}</p>
${problem !== undefined && html`<p role="alert"><strong>${problem}</strong></p>`}
<form method="post" class="row"><label class="hidden" for="key">${texts.key}</label><input id="key" name="key" type="password" placeholder="${texts.key}" autocomplete="off" required><button>${texts.open}</button></form></main>`,
  });
}
