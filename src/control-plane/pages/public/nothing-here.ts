import type { PageAnswer } from "../../http/page-routes.ts";
import { shellTexts as texts } from "../../texts/shell.ts";
import { html } from "../../view/html.ts";
import { publicPage } from "./public-page.ts";
import { publicStyle } from "./public-style.ts";

const nothingStyle = `${publicStyle}
main { min-height: 100vh; max-width: 30rem; display: grid; place-content: center; gap: 1rem; }
`;

/** At a page's own domain: where neither the page is nor anything of it. */
export function nothingHere(): PageAnswer {
  const title = texts.errors[404] ?? texts.error;
  return publicPage({
    title,
    style: nothingStyle,
    favicon: null,
    images: [],
    status: 404,
    maxAgeSeconds: null,
    body: html`<main><h1>${title}</h1><p class="soft">${texts.noPage}</p><p><a href="/">${texts.toStart}</a></p></main>`,
  });
}
