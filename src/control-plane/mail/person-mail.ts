import { escapedHtml, oneLine } from "#domain/alerting/plain-text.ts";
import { mailTexts as texts } from "../texts/mails.ts";
import { heading, link, type MailText, mailDocument, soft } from "./mail-document.ts";

const color = "#1565c0";

export interface Invited {
  readonly account: string;
  /** Name or address of who invites; null where a key did. */
  readonly by: string | null;
  readonly role: string;
}

/** To somebody who was invited into an account. Names in it are of whoever invites. */
export function invitationMail({ account, by, role }: Invited, address: string): MailText {
  const into = oneLine(account, 100);
  return letter({
    title: texts.invitation(into),
    why: by === null ? texts.youWereInvited(into, role) : texts.invitesYou(oneLine(by, 100), into, role),
    link: { address, label: texts.join },
    term: texts.invitationTerm,
    otherwise: texts.notInvited,
  });
}

/** To somebody at whose address a new password was asked for. */
export function passwordResetMail(address: string): MailText {
  return letter({
    title: texts.newPassword,
    why: texts.askedForPassword,
    link: { address, label: texts.newPassword },
    term: texts.passwordTerm,
    otherwise: texts.notAsked,
  });
}

interface Letter {
  readonly title: string;
  readonly why: string;
  readonly link: { readonly address: string; readonly label: string };
  readonly term: string;
  /** What to do when it was not meant. */
  readonly otherwise: string;
}

function letter({ title, why, link: { address, label }, term, otherwise }: Letter): MailText {
  return {
    subject: oneLine(`[${texts.sender}] ${title}`, 250),
    text: [why, "", `${label}: ${address}`, "", term, otherwise, ""].join("\n"),
    html: mailDocument([
      heading(title, color),
      `<p>${escapedHtml(why)}</p>`,
      `<p>${link(address, label)}</p>`,
      `<p style="color:${soft}">${escapedHtml(`${term} ${otherwise}`)}</p>`,
    ]),
  };
}
