import type { PageAnswer } from "../http/page-routes.ts";
import { type Html, html } from "../pages/html.ts";
import { page } from "../pages/page.ts";

const style = `
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
  const answer = page({ title, style, body, hasForms: true });
  return { ...answer, status, headers: { ...answer.headers, "x-robots-tag": "noindex" } };
}

/** A click on a link must not be enough: mail programs and filters open links before people do. */
export function confirmQuestion(pageName: string, address: string): PageAnswer {
  return said({
    title: `Follow ${pageName}`,
    text: `News of its incidents and maintenance will be sent to ${address}. Each mail has a link that ends it.`,
    form: html`<form method="post"><button>Confirm the subscription</button></form>`,
  });
}

export function confirmed(pageName: string): PageAnswer {
  return said({ title: "You are subscribed", text: `You will hear of incidents and maintenance of ${pageName}.` });
}

export function unsubscribeQuestion(pageName: string, address: string): PageAnswer {
  return said({
    title: `Stop following ${pageName}`,
    text: `No more mails about it will be sent to ${address}.`,
    form: html`<form method="post"><button>Unsubscribe</button></form>`,
  });
}

/** Also who unsubscribes twice is unsubscribed. */
export function unsubscribed(): PageAnswer {
  return said({
    title: "You are unsubscribed",
    text: "No more mails will be sent. You can subscribe again at any time on the status page.",
  });
}

export function deadLink(): PageAnswer {
  return said({
    status: 404,
    title: "This link leads nowhere any more",
    text: "It was used already, is older than a week, or was not copied whole. Subscribe again on the status page to get a new one.",
  });
}

/** Also where no mail can be sent. */
export function nothingToFollow(): PageAnswer {
  return said({ status: 404, title: "There is nothing to follow here", text: "No status page at this address sends news by mail." });
}

/** @param seconds until the next wish is taken */
export function tooManyWishes(seconds: number): PageAnswer {
  const text = `Too many people subscribed from your network just now. Go back and try again in ${seconds} seconds.`;
  const answer = said({ status: 429, title: "A moment, please", text });
  return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } };
}

/** The same whether the address is new, waits, or is subscribed: nobody learns who follows a page. */
export function mailIsOnItsWay(pageName: string, address: string): PageAnswer {
  return said({
    title: "Look into your mailbox",
    text: `If ${address} does not follow ${pageName} yet, a mail with a link is on its way. The subscription begins when you open it and confirm.`,
  });
}

export function askForAddress(pageName: string, typed: string): PageAnswer {
  return said({
    status: 400,
    title: `Follow ${pageName}`,
    text: "That is no e-mail address. It must look like name@example.com.",
    form: html`<form method="post"><label class="wrong">E-mail address<input name="address" type="email" autocomplete="email" required maxlength="254" value="${typed.slice(0, 254)}" aria-invalid="true"></label><button>Subscribe</button></form>`,
  });
}
