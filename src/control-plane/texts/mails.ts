import { incidentStatusTexts, maintenanceStatusTexts } from "./statuses.ts";

/** Every English text of mails to people who were invited, forgot a password or follow a status page. What alerts say stands in `src/domain/alerting`. */
export const mailTexts = {
  sender: "Outpost",
  invitation: (account: string) => `Invitation to ${account}`,
  youWereInvited: (account: string, role: string) => `You were invited to ${account} on Outpost, as ${role}.`,
  invitesYou: (person: string, account: string, role: string) => `${person} invites you to ${account} on Outpost, as ${role}.`,
  join: "Join",
  invitationTerm: "The link is good for 7 days, and for you alone.",
  notInvited: "If you expected nothing of the kind, do nothing.",

  newPassword: "Set a new password",
  askedForPassword: "Somebody, hopefully you, asked for a new password for this address on Outpost.",
  passwordTerm: "The link is good for an hour, and once.",
  notAsked: "If it was not you, do nothing: your password stays as it is.",

  subscription: "Confirm your subscription",
  askedForNews: (page: string) => `Somebody, hopefully you, asked for news of ${page} at this address.`,
  confirmHere: (address: string) => `Confirm it here, within a week: ${address}`,
  confirm: "Confirm the subscription",
  confirmTerm: "(within a week)",
  notSubscribed: "If it was not you, do nothing: you will hear no more, and the address is forgotten within a week.",

  titled: (status: string, name: string) => `${status}: ${name}`,
  incidentStatuses: incidentStatusTexts,
  maintenanceStatuses: maintenanceStatusTexts,
  affected: (services: readonly string[]) => `Affected: ${services.join(", ")}`,
  severity: (severity: string) => `Severity: ${severity.toLowerCase()}`,
  maintenanceSpan: (start: string, end: string) => `Maintenance from ${start} to ${end}`,
  statusPage: (address: string) => `Status page: ${address}`,
  openStatusPage: "Open the status page",
  following: (page: string) => `You follow ${page}.`,
  endFollowing: (address: string) => `To end it: ${address}`,
  unsubscribe: "Unsubscribe",
} as const;
