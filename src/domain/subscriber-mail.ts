import { escapedHtml, oneLine } from "./alerting/plain-text.ts";
import { incidentStatusTexts, type StoredIncidentUpdate } from "./incidents.ts";
import { footer, heading, lines, link, type MailText, mailDocument } from "./mail-document.ts";
import type { MaintenanceTelling } from "./maintenance-news.ts";
import { maintenanceStatusTexts } from "./maintenance-updates.ts";

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
  const struck = incident.services.length === 0 ? [] : [`Affected: ${incident.services.join(", ")}`];
  const facts = [...struck, `Severity: ${incident.severity.toLowerCase()}`, moment(update.publicAtMs)];
  const title = `${status}: ${incident.name}`;
  return followerMail(pageName, { title, color: statusColors[update.status], description: update.description, facts }, links);
}

/** What is told of one occurrence of a maintenance window. */
export interface ToldMaintenance extends MaintenanceTelling {
  readonly name: string;
  /** Names. */
  readonly services: readonly string[];
}

const maintenanceColors: Readonly<Record<ToldMaintenance["status"], string>> = {
  SCHEDULED: "#1565c0",
  IN_PROGRESS: "#c46a00",
  VERIFYING: "#c46a00",
  COMPLETED: "#2e7d32",
  CANCELLED: "#5b6570",
};

/** That maintenance comes, begins, goes on or is over. */
export function maintenanceMail(pageName: string, told: ToldMaintenance, links: NewsLinks): MailText {
  const { name, status, description, services, startsAtMs, endsAtMs } = told;
  const affected = services.length === 0 ? [] : [`Affected: ${services.join(", ")}`];
  const title = `${maintenanceStatusTexts[status]}: ${name}`;
  const facts = [...affected, `Maintenance from ${moment(startsAtMs)} to ${moment(endsAtMs)}`];
  return followerMail(pageName, { title, color: maintenanceColors[status], description, facts }, links);
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

interface FollowerNews {
  readonly title: string;
  readonly color: string;
  readonly description: string;
  readonly facts: readonly string[];
}

function followerMail(pageName: string, { title, color, description, facts }: FollowerNews, links: NewsLinks): MailText {
  const told = description === "" ? [] : [description, ""];
  const ending = ["", `Status page: ${links.page}`, "", `You follow ${pageName}. To end it: ${links.unsubscribe}`, ""];
  return {
    subject: oneLine(`[${pageName}] ${title}`, 250),
    text: [title, "", ...told, ...facts, ...ending].join("\n"),
    html: mailDocument([
      heading(title, color),
      ...(description === "" ? [] : [`<p>${lines(description)}</p>`]),
      `<p style="color:#5b6570">${facts.map(escapedHtml).join("<br>")}</p>`,
      `<p>${link(links.page, "Open the status page")}</p>`,
      footer(`You follow ${pageName}.`, links.unsubscribe, "Unsubscribe"),
    ]),
  };
}

function moment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
