/** Every English text of the pages that links in mails lead to: following a status page, and ending that. */
export const subscribingTexts = {
  follow: (page: string) => `Follow ${page}`,
  aboutFollowing: (address: string) =>
    `News of its incidents and maintenance will be sent to ${address}. Each mail has a link that ends it.`,
  confirm: "Confirm the subscription",
  confirmed: "You are subscribed",
  aboutConfirmed: (page: string) => `You will hear of incidents and maintenance of ${page}.`,
  stop: (page: string) => `Stop following ${page}`,
  aboutStopping: (address: string) => `No more mails about it will be sent to ${address}.`,
  unsubscribe: "Unsubscribe",
  unsubscribed: "You are unsubscribed",
  aboutUnsubscribed: "No more mails will be sent. You can subscribe again at any time on the status page.",
  deadLink: "This link leads nowhere any more",
  aboutDeadLink: "It was used already, is older than a week, or was not copied whole. Subscribe again on the status page to get a new one.",
  nothing: "There is nothing to follow here",
  aboutNothing: "No status page at this address sends news by mail.",
  tooMany: "A moment, please",
  aboutTooMany: (seconds: number) =>
    `Too many people subscribed from your network just now. Go back and try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`,
  onItsWay: "Look into your mailbox",
  aboutOnItsWay: (page: string, address: string) =>
    `If ${address} does not follow ${page} yet, a mail with a link is on its way. The subscription begins when you open it and confirm.`,
  noAddress: "That is no e-mail address. It must look like name@example.com.",
  address: "E-mail address",
  subscribe: "Subscribe",
} as const;
