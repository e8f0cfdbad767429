import { escapedHtml, oneLine } from "./alerting/plain-text.ts";
import { heading, link, type MailText, mailDocument } from "./mail-document.ts";

const color = "#1565c0";
const soft = "color:#5b6570";

export interface Invited {
  readonly account: string;
  /** Name or address of who invites; null where a key did. */
  readonly by: string | null;
  readonly role: string;
}

/** To somebody who was invited into an account. Names in it are of whoever invites. */
export function invitationMail({ account, by, role }: Invited, address: string): MailText {
  const into = oneLine(account, 100);
  const invites = `${by === null ? "You were invited" : `${oneLine(by, 100)} invites you`} to ${into} on Outpost, as ${role}.`;
  const term = "The link is good for 7 days, and for you alone.";
  const otherwise = "If you expected nothing of the kind, do nothing.";
  return letter(`Invitation to ${into}`, invites, { address, label: "Join", term }, otherwise);
}

/** To somebody at whose address a new password was asked for. */
export function passwordResetMail(address: string): MailText {
  const asked = "Somebody, hopefully you, asked for a new password for this address on Outpost.";
  const term = "The link is good for an hour, and once.";
  const otherwise = "If it was not you, do nothing: your password stays as it is.";
  return letter("Set a new password", asked, { address, label: "Set a new password", term }, otherwise);
}

function letter(
  title: string,
  why: string,
  { address, label, term }: { readonly address: string; readonly label: string; readonly term: string },
  otherwise: string,
): MailText {
  return {
    subject: oneLine(`[Outpost] ${title}`, 250),
    text: [why, "", `${label}: ${address}`, "", term, otherwise, ""].join("\n"),
    html: mailDocument([
      heading(title, color),
      `<p>${escapedHtml(why)}</p>`,
      `<p>${link(address, label)}</p>`,
      `<p style="${soft}">${escapedHtml(`${term} ${otherwise}`)}</p>`,
    ]),
  };
}
