import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the page of who follows a status page. */
export const subscriberTexts = {
  title: (page: string) => `Subscribers of ${page}`,
  heading: "Subscribers",
  lead: "Subscribers receive mails about incidents and maintenance.",
  done: {
    subscribed: "Subscribed. Existing subscribers are unchanged.",
    removed: "Subscription ended.",
  },
  noMail: html`This installation sends no mail until <code>SMTP_URL</code> is set: subscribers receive nothing.`,
  none: "No subscribers yet.",
  noneFound: "No subscribers match.",
  counts: (verified: string, pending: string) => `${verified} confirmed, ${pending} pending.`,
  since: {
    VERIFIED: (time: Html) => html`Confirmed since ${time}`,
    PENDING: (time: Html) => html`Pending since ${time}`,
  },
  counted: (count: number) => countText(count, "subscriber"),
  search: "Address contains",
  show: "Show",
  end: (address: string) => `End the subscription of ${address}?`,
  add: "Add subscribers",
  addresses: "E-mail addresses",
  addressesHint: "One per line, at most 100.",
  autoVerify: "They have already agreed: skip confirmation",
  subscribe: "Subscribe",
} as const;
