/** Every English text of the pages that links in mails lead to: following a status page, and ending that. */
export const subscribingTexts = {
  follow: (page: string) => `Subscribe to ${page}`,
  aboutFollowing: (address: string) =>
    `Updates on incidents and maintenance will be sent to ${address}. Each mail has an unsubscribe link.`,
  confirm: "Confirm subscription",
  confirmed: "You are subscribed",
  aboutConfirmed: (page: string) => `You will receive updates on incidents and maintenance of ${page}.`,
  stop: (page: string) => `Unsubscribe from ${page}`,
  aboutStopping: (address: string) => `${address} will receive no more mails about it.`,
  unsubscribe: "Unsubscribe",
  unsubscribed: "You are unsubscribed",
  aboutUnsubscribed: "You will receive no more mails. You can subscribe again at any time on the status page.",
  deadLink: "This link is no longer valid",
  aboutDeadLink: "It has been used, is older than a week, or is incomplete. Subscribe again on the status page to get a new one.",
  nothing: "No subscriptions here",
  aboutNothing: "No status page at this address offers mail updates.",
  tooMany: "Please wait",
  aboutTooMany: (seconds: number) =>
    `Too many subscriptions from your network. Go back and try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`,
  onItsWay: "Check your mail",
  aboutOnItsWay: (page: string, address: string) =>
    `If ${address} is not subscribed to ${page} yet, a mail with a link is on its way. Open the link and confirm to subscribe.`,
  noAddress: "This is not a valid e-mail address. It must look like name@example.com.",
  address: "E-mail address",
  subscribe: "Subscribe",
} as const;
