import { escapedHtml, oneLine } from "./alerting/plain-text.ts";
import { incidentStatusTexts, type StoredIncidentUpdate } from "./incidents.ts";
import { footer, heading, lines, link, type MailText, mailDocument } from "./mail-document.ts";

export interface ToldIncident {
  readonly name: string;
  readonly severity: string;
  /** Names. */
  readonly services: readonly string[];
}

export interface NewsLinks {
  readonly page: string;
  readonly unsubscribe: string;
}

const statusColors: Readonly<Record<StoredIncidentUpdate["status"], string>> = {
  INVESTIGATING: "#c62828",
  IDENTIFIED: "#c46a00",
  MONITORING: "#1565c0",
  RESOLVED: "#2e7d32",
};

/** What an update of an incident says: the state first, as most read no further. */
export function newsMail(pageName: string, incident: ToldIncident, update: StoredIncidentUpdate, links: NewsLinks): MailText {
  const status = incidentStatusTexts[update.status];
  const at = `${new Date(update.publicAtMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const struck = incident.services.length === 0 ? "" : `Affected: ${incident.services.join(", ")}`;
  const facts = [struck, `Severity: ${incident.severity.toLowerCase()}`, at].filter((line) => line !== "");
  const text = [
    `${status}: ${incident.name}`,
    "",
    update.description,
    "",
    ...facts,
    "",
    `Status page: ${links.page}`,
    "",
    `You follow ${pageName}. To end it: ${links.unsubscribe}`,
    "",
  ];
  return {
    subject: oneLine(`[${pageName}] ${status}: ${incident.name}`, 250),
    text: text.join("\n"),
    html: mailDocument([
      heading(`${status}: ${incident.name}`, statusColors[update.status]),
      `<p>${lines(update.description)}</p>`,
      `<p style="color:#5b6570">${facts.map(escapedHtml).join("<br>")}</p>`,
      `<p>${link(links.page, "Open the status page")}</p>`,
      footer(`You follow ${pageName}.`, links.unsubscribe, "Unsubscribe"),
    ]),
  };
}

/** The question whether somebody who gave this address meant it: nothing more is sent without an answer. */
export function confirmationMail(pageName: string, confirm: string): MailText {
  const wish = `Somebody, hopefully you, asked for news of ${pageName} at this address.`;
  const otherwise = "If it was not you, do nothing: you will hear no more, and the address is forgotten within a week.";
  return {
    subject: oneLine(`[${pageName}] Confirm your subscription`, 250),
    text: [wish, "", `Confirm it here, within a week: ${confirm}`, "", otherwise, ""].join("\n"),
    html: mailDocument([
      heading(`Confirm your subscription`, statusColors.MONITORING),
      `<p>${escapedHtml(wish)}</p>`,
      `<p>${link(confirm, "Confirm the subscription")} (within a week)</p>`,
      `<p style="color:#5b6570">${escapedHtml(otherwise)}</p>`,
    ]),
  };
}
