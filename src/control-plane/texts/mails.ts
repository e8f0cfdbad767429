import { severityTexts } from "./status-pages.ts";
import { incidentStatusTexts, maintenanceStatusTexts } from "./statuses.ts";

const words: Readonly<Record<string, string>> = severityTexts;

/** Every English text of mails to people who were invited, forgot a password or follow a status page. What alerts say stands in `src/domain/alerting`. */
export const mailTexts = {
  sender: "Outpost",
  invitation: (account: string) => `Invitation to ${account}`,
  youWereInvited: (account: string, role: string) => `You have been invited to join ${account} on Outpost with the role “${role}”.`,
  invitesYou: (person: string, account: string, role: string) =>
    `${person} invited you to join ${account} on Outpost with the role “${role}”.`,
  join: "Join",
  invitationTerm: "The link is valid for 7 days and for you only.",
  notInvited: "If you did not expect this invitation, you can ignore this mail.",

  newPassword: "Set a new password",
  askedForPassword: "Someone asked for a new password for this address on Outpost.",
  passwordTerm: "The link is valid for one hour and can be used once.",
  notAsked: "If this was not you, ignore this mail: your password stays the same.",

  subscription: "Confirm your subscription",
  askedForNews: (page: string) => `Someone subscribed this address to updates of ${page}.`,
  confirmHere: (address: string) => `Confirm within a week: ${address}`,
  confirm: "Confirm subscription",
  confirmTerm: "(within a week)",
  notSubscribed: "If this was not you, ignore this mail. You will receive no more mails, and the address is deleted within a week.",

  titled: (status: string, name: string) => `${status}: ${name}`,
  incidentStatuses: incidentStatusTexts,
  maintenanceStatuses: maintenanceStatusTexts,
  affected: (services: readonly string[]) => `Affected: ${services.join(", ")}`,
  /** In the words of the status page. */
  severity: (severity: string) => `Severity: ${(words[severity] ?? severity).toLowerCase()}`,
  maintenanceSpan: (start: string, end: string) => `Maintenance from ${start} to ${end}`,
  statusPage: (address: string) => `Status page: ${address}`,
  openStatusPage: "Open the status page",
  following: (page: string) => `You are subscribed to ${page}.`,
  endFollowing: (address: string) => `Unsubscribe: ${address}`,
  unsubscribe: "Unsubscribe",
} as const;
