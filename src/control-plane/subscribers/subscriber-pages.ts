import type { PageAnswer } from "../http/page-routes.ts";
import { page } from "../pages/page.ts";
import { subscribingTexts as texts } from "../texts/subscribing.ts";
import { type Html, html } from "../view/html.ts";

const noteStyle = `
main { max-width: 34rem; margin: 0 auto; padding: clamp(3rem, 14vh, 9rem) 1.5rem; }
h1 { font-size: 1.75rem; }
p { color: var(--soft); max-width: 52ch; overflow-wrap: anywhere; }
form { margin-top: 1.75rem; display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
label { flex: 1 1 16rem; color: var(--soft); }
input { width: 100%; margin-top: .25rem; font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: .55rem .75rem; }
button { font: inherit; font-weight: 600; color: var(--paper); background: var(--accent); border: 0; border-radius: 8px; padding: .6rem 1.1rem; cursor: pointer; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.wrong { color: var(--delete); }
`;

interface Said {
  readonly status?: number;
  readonly title: string;
  readonly text: string;
  readonly form?: Html;
}

function said({ status = 200, title, text, form }: Said): PageAnswer {
  const body = html`<main><h1>${title}</h1><p>${text}</p>${form}</main>`;
  const answer = page({ title, style: noteStyle, body, hasForms: true });
  return { ...answer, status, headers: { ...answer.headers, "x-robots-tag": "noindex" } };
}

/** A click on a link must not be enough: mail programs and filters open links before people do. */
export function confirmQuestion(pageName: string, address: string): PageAnswer {
  return said({
    title: texts.follow(pageName),
    text: texts.aboutFollowing(address),
    form: html`<form method="post"><button>${texts.confirm}</button></form>`,
  });
}

export function confirmed(pageName: string): PageAnswer {
  return said({ title: texts.confirmed, text: texts.aboutConfirmed(pageName) });
}

export function unsubscribeQuestion(pageName: string, address: string): PageAnswer {
  return said({
    title: texts.stop(pageName),
    text: texts.aboutStopping(address),
    form: html`<form method="post"><button>${texts.unsubscribe}</button></form>`,
  });
}

/** Also who unsubscribes twice is unsubscribed. */
export function unsubscribed(): PageAnswer {
  return said({ title: texts.unsubscribed, text: texts.aboutUnsubscribed });
}

export function deadLink(): PageAnswer {
  return said({ status: 404, title: texts.deadLink, text: texts.aboutDeadLink });
}

/** Also where no mail can be sent. */
export function nothingToFollow(): PageAnswer {
  return said({ status: 404, title: texts.nothing, text: texts.aboutNothing });
}

/** @param seconds until the next wish is taken */
export function tooManyWishes(seconds: number): PageAnswer {
  const answer = said({ status: 429, title: texts.tooMany, text: texts.aboutTooMany(seconds) });
  return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } };
}

/** The same whether the address is new, waits, or is subscribed: nobody learns who follows a page. */
export function mailIsOnItsWay(pageName: string, address: string): PageAnswer {
  return said({ title: texts.onItsWay, text: texts.aboutOnItsWay(pageName, address) });
}

export function askForAddress(pageName: string, typed: string): PageAnswer {
  return said({
    status: 400,
    title: texts.follow(pageName),
    text: texts.noAddress,
    form: html`<form method="post"><label class="wrong">${texts.address}<input name="address" type="email" autocomplete="email" required maxlength="254" value="${typed.slice(0, 254)}" aria-invalid="true"></label><button>${texts.subscribe}</button></form>`,
  });
}
