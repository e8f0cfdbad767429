import { escapedHtml, oneLine } from "#domain/alerting/plain-text.ts";
import type { StoredIncidentUpdate } from "#domain/incidents.ts";
import type { ToldMaintenance } from "#domain/maintenance-news.ts";
import { mailTexts as texts } from "../texts/mails.ts";
import { footer, heading, lines, link, type MailText, mailDocument, soft } from "./mail-document.ts";

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
  const struck = incident.services.length === 0 ? [] : [texts.affected(incident.services)];
  const facts = [...struck, texts.severity(incident.severity), moment(update.publicAtMs)];
  const title = texts.titled(texts.incidentStatuses[update.status], incident.name);
  return followerMail(pageName, { title, color: statusColors[update.status], description: update.description, facts }, links);
}

const maintenanceColors: Readonly<Record<ToldMaintenance["status"], string>> = {
  SCHEDULED: "#1565c0",
  IN_PROGRESS: "#c46a00",
  VERIFYING: "#c46a00",
  COMPLETED: "#2e7d32",
  CANCELLED: soft,
};

/** That maintenance comes, begins, goes on or is over. */
export function maintenanceMail(pageName: string, told: ToldMaintenance, links: NewsLinks): MailText {
  const { name, status, description, services, startsAtMs, endsAtMs } = told;
  const affected = services.length === 0 ? [] : [texts.affected(services)];
  const title = texts.titled(texts.maintenanceStatuses[status], name);
  const facts = [...affected, texts.maintenanceSpan(moment(startsAtMs), moment(endsAtMs))];
  return followerMail(pageName, { title, color: maintenanceColors[status], description, facts }, links);
}

/** The question whether somebody who gave this address meant it: nothing more is sent without an answer. */
export function confirmationMail(pageName: string, confirm: string): MailText {
  const wish = texts.askedForNews(pageName);
  return {
    subject: oneLine(`[${pageName}] ${texts.subscription}`, 250),
    text: [wish, "", texts.confirmHere(confirm), "", texts.notSubscribed, ""].join("\n"),
    html: mailDocument([
      heading(texts.subscription, statusColors.MONITORING),
      `<p>${escapedHtml(wish)}</p>`,
      `<p>${link(confirm, texts.confirm)} ${texts.confirmTerm}</p>`,
      `<p style="color:${soft}">${escapedHtml(texts.notSubscribed)}</p>`,
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
  const ending = ["", texts.statusPage(links.page), "", `${texts.following(pageName)} ${texts.endFollowing(links.unsubscribe)}`, ""];
  return {
    subject: oneLine(`[${pageName}] ${title}`, 250),
    text: [title, "", ...told, ...facts, ...ending].join("\n"),
    html: mailDocument([
      heading(title, color),
      ...(description === "" ? [] : [`<p>${lines(description)}</p>`]),
      `<p style="color:${soft}">${facts.map(escapedHtml).join("<br>")}</p>`,
      `<p>${link(links.page, texts.openStatusPage)}</p>`,
      footer(texts.following(pageName), links.unsubscribe, texts.unsubscribe),
    ]),
  };
}

function moment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
