import type { PageAnswer } from "../../http/page-routes.ts";
import { guideTexts as texts } from "../../texts/guide.ts";
import { type Html, html } from "../../view/html.ts";
import { page } from "../page.ts";
import type { Guide } from "./guide.ts";
import { guidePath } from "./guide-addresses.ts";
import type { GuideDocument } from "./guide-markdown.ts";
import type { GuideHit } from "./guide-search.ts";
import { guideStyle } from "./guide-style.ts";

export function documentPage(guide: Guide, address: string, { title, sections, body }: GuideDocument): PageAnswer {
  const parts = sections.filter(({ depth }) => depth === 2);
  const aside = html`<aside aria-label="${texts.onThisPage}"><h2>${texts.onThisPage}</h2>
<ul>${parts.map(({ anchor, heading }) => html`<li><a href="#${anchor}">${heading}</a></li>`)}</ul></aside>`;
  return framed(guide, { address, title: texts.titleOf(title), main: html`<article>${body}</article>${parts.length > 1 && aside}` });
}

export function foundPage(guide: Guide, words: string, hits: readonly GuideHit[]): PageAnswer {
  const main = html`<article><h1>${texts.found(hits.length, words)}</h1>
${hits.length === 0 && html`<p>${texts.noneFound}</p>`}
<ol class="hits">${hits.map(
    ({ href, title, heading, excerpt }) =>
      html`<li><a href="${href}">${heading}</a>${heading !== title && html` <small>${title}</small>`}<p>${excerpt}</p></li>`,
  )}</ol></article>`;
  return framed(guide, { address: "", title: texts.titleOf(texts.find), main, words });
}

export function missingPage(guide: Guide): PageAnswer {
  const main = html`<article><h1>${texts.missing}</h1><p>${texts.aboutMissing}</p></article>`;
  return { ...framed(guide, { address: "", title: texts.titleOf(texts.missing), main }), status: 404 };
}

interface Framed {
  /** Of the page; empty where it is none of the list. */
  readonly address: string;
  readonly title: string;
  readonly main: Html;
  /** What was searched. */
  readonly words?: string;
}

/** With the list of pages and the search at its side, which a narrow screen shows on top, folded. */
function framed({ contents }: Guide, { address, title, main, words = "" }: Framed): PageAnswer {
  const link = ({ name, href }: { readonly name: string; readonly href: string }): Html =>
    html`<li><a href="${href}"${href === address && html` aria-current="page"`}>${name}</a></li>`;
  const body = html`<a class="skip" href="#content">${texts.skip}</a>
<div class="shell">
<div class="rail"><header><p class="brand"><a href="/">${texts.product}</a> <a href="${guidePath}">${texts.name}</a></p></header>
<form role="search" action="${guidePath}/search" method="get"><input type="search" name="q" value="${words}" maxlength="100" aria-label="${texts.search}" placeholder="${texts.search}"><button>${texts.find}</button></form>
<details class="list"><summary>${texts.contents}</summary><nav aria-label="${texts.contents}">
${contents.map(({ name, pages }) => html`<h2>${name}</h2><ul>${pages.map(link)}</ul>`)}
<ul class="more"><li><a href="/docs">${texts.reference}</a></li></ul>
</nav></details></div>
<main id="content">${main}</main>
</div>`;
  return page({ title, style: guideStyle, body, hasForms: true, showsFiles: true });
}
