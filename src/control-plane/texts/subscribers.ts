import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the page of who follows a status page. */
export const subscriberTexts = {
  title: (page: string) => `Subscribers of ${page}`,
  heading: "Subscribers",
  lead: "They get a mail when an incident or maintenance says so.",
  done: {
    subscribed: "They are subscribed. Who was so before stays as before.",
    removed: "The subscription is ended; nothing is mailed there any more.",
  },
  none: "Nobody follows this page yet.",
  noneFound: "No address has this in it.",
  counts: (verified: string, pending: string) => `${verified} confirmed, ${pending} not yet.`,
  since: {
    VERIFIED: (time: Html) => html`Confirmed, since ${time}`,
    PENDING: (time: Html) => html`Not confirmed yet, since ${time}`,
  },
  counted: (count: number) => countText(count, "subscriber"),
  search: "Part of an address",
  show: "Show",
  end: (address: string) => `End the subscription of ${address}?`,
  add: "Subscribe others",
  addresses: "E-mail addresses",
  addressesHint: "One on each line, at most 100.",
  autoVerify: "They agreed already: ask none of them to confirm",
  subscribe: "Subscribe",
} as const;
