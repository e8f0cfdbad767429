import type { PageAnswer } from "../../http/page-routes.ts";
import { html } from "../html.ts";
import { publicPage } from "../public/public-page.ts";
import { dashboardStyle } from "./dashboard-style.ts";
import { texts } from "./texts.ts";

/** The same for a dashboard that does not exist and for a private one without a right key, so that nobody learns which it is. */
export function lockedPage(): PageAnswer {
  return publicPage({
    title: texts.lockedTitle,
    style: dashboardStyle,
    favicon: null,
    images: [],
    canSendForms: true,
    status: 404,
    maxAgeSeconds: null,
    body: html`<main class="locked"><h1>${texts.lockedHeading}</h1>
<p class="soft">${texts.lockedExplanation}</p>
<form method="get" class="row"><label class="hidden" for="key">${texts.key}</label><input id="key" name="key" type="password" placeholder="${texts.key}" autocomplete="off" required><button>${texts.open}</button></form></main>`,
  });
}
