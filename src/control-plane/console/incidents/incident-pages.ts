import {
  createStatusPageIncident,
  createStatusPageIncidentUpdate,
  deleteStatusPageIncident,
  getStatusPageIncident,
  listStatusPageIncidents,
} from "#contract/status-pages/incidents.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { alertIdOf } from "../../kinds/ids.ts";
import type { AlertEpisodeStore } from "../../storage/storage.ts";
import { incidentTexts as texts } from "../../texts/incidents.ts";
import { actorName } from "../alerts/episode-pages.ts";
import type { Ask } from "../ask.ts";
import { type CauseDeps, type CauseRead, readCause, subjectOf } from "../causes/cause-part.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { allServices } from "../published/read-pages.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { editIncidentPages } from "./edit-incident-pages.ts";
import { incidentPage } from "./incident-page.ts";
import { beganAt, type IncidentRead } from "./incident-words.ts";
import { incidentsPage } from "./incidents-page.ts";
import { firstUpdate, type NewIncidentView, newIncidentPage } from "./new-incident-page.ts";

const access = "write";
const pageSize = 25;

export interface IncidentPageDeps extends CauseDeps {
  readonly alertEpisodes: Pick<AlertEpisodeStore, "act" | "ofIncident">;
  readonly canSendMail: boolean;
  readonly nowMs: () => number;
}

/** What status pages tell of their services. */
export function incidentPages(ask: Ask, deps: IncidentPageDeps): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/incidents", access: "read", answer: (visit) => list(ask, visit) },
    { method: "GET", path: "/incidents/new", access, answer: (visit) => blank(ask, deps, visit, { form: visit.request.query }) },
    { method: "POST", path: "/incidents", access, answer: (visit) => open(ask, deps, visit) },
    { method: "GET", path: "/incidents/{incidentId}", access: "read", answer: (visit) => show(ask, deps, visit) },
    { method: "POST", path: "/incidents/{incidentId}/updates", access, answer: (visit) => tell(ask, deps, visit) },
    { method: "POST", path: "/incidents/{incidentId}/delete", access, answer: (visit) => remove(ask, visit) },
    ...editIncidentPages(ask),
  ];
}

async function list(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const all = await newest(ask, visit);
  const isOpen = ({ lastUpdateStatus }: IncidentRead): boolean => lastUpdateStatus !== "RESOLVED";
  const past = all.filter((one) => !isOpen(one)).toSorted((a, b) => beganAt(b) - beganAt(a));
  const page = pageOf(query);
  const shown = past.slice((page - 1) * pageSize, page * pageSize);
  return incidentsPage(visit, { open: all.filter(isOpen), past: shown, total: past.length, page, pageSize, done: query.get("done") });
}

/** An open one may stand behind many that are over. Two thousand are years of incidents. */
const maxRead = 2_000;

async function newest(ask: Ask, visit: Visit): Promise<readonly IncidentRead[]> {
  const all: IncidentRead[] = [];
  let after: string | null = null;
  do {
    const query: Readonly<Record<string, string>> = { limit: "100", ...(after !== null && { nextId: after }) };
    const { entries, nextId } = await ask(visit, listStatusPageIncidents, { query });
    all.push(...entries);
    after = nextId;
  } while (after !== null && all.length < maxRead);
  return all;
}

async function blank(
  ask: Ask,
  { canSendMail }: IncidentPageDeps,
  visit: Visit,
  view: Pick<NewIncidentView, "form" | "problems" | "status">,
): Promise<FormAnswer> {
  return newIncidentPage(visit, { services: await allServices(ask, visit), canSendMail, ...view });
}

async function open(ask: Ask, deps: IncidentPageDeps, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const services = form.getAll("services").map((id) => ({ id, name: "", accountId: visit.account.uuid }));
  const update = { description: textOf(form, firstUpdate), status: form.get("status"), notifySubscribers: form.has("notifySubscribers") };
  const body = { name: typed(form, "name"), severity: form.get("severity"), services, incidentUpdates: [update] };
  try {
    const { id } = await ask(visit, createStatusPageIncident, { body });
    await noteInEpisode(deps, visit, id);
    return redirect(`/incidents/${id}?done=opened`);
  } catch (error) {
    const problems = refusedFields(error, ["name", "services", firstUpdate]);
    const told = services.length === 0 ? { ...problems, services: texts.noServiceChosen } : problems;
    return blank(ask, deps, visit, { form, problems: told, status: 400 });
  }
}

/** Where it was opened for an alert, its timeline says so. */
async function noteInEpisode({ alertEpisodes, nowMs }: IncidentPageDeps, visit: Visit, incidentId: string): Promise<void> {
  const id = alertIdOf(visit.request.form.get("episode") ?? "");
  if (id !== undefined) await alertEpisodes.act(visit.account.id, id, { kind: "incident", id: incidentId }, actorName(visit), nowMs());
}

async function show(ask: Ask, deps: IncidentPageDeps, visit: Visit): Promise<FormAnswer> {
  const incident = await find(ask, visit);
  const { canSendMail } = deps;
  return incidentPage(visit, { incident, cause: await causeOf(deps, visit, incident), canSendMail, done: visit.request.query.get("done") });
}

/** Of the alert that it was opened for. */
async function causeOf(deps: IncidentPageDeps, visit: Visit, { id }: IncidentRead): Promise<CauseRead | null> {
  const episode = await deps.alertEpisodes.ofIncident(visit.account.id, id);
  return readCause(deps, visit, episode === undefined ? null : subjectOf(episode));
}

async function tell(ask: Ask, deps: IncidentPageDeps, visit: Visit): Promise<FormAnswer> {
  const incident = await find(ask, visit);
  const { form } = visit.request;
  const isOver = form.has("resolve");
  const description = textOf(form, "description");
  const notifySubscribers = form.has("notifySubscribers");
  const status = form.get("status") ?? "";
  const body = { description, notifySubscribers, status: isOver ? "RESOLVED" : status };
  try {
    await ask(visit, createStatusPageIncidentUpdate, { params: { incidentId: incident.id }, body });
    return redirect(`/incidents/${incident.id}?done=${isOver ? "resolved" : "updated"}`);
  } catch (error) {
    const problems = refusedFields(error, ["description"]);
    const cause = await causeOf(deps, visit, incident);
    const { canSendMail } = deps;
    return incidentPage(visit, { incident, cause, canSendMail, description, status, notifySubscribers, problems, httpStatus: 400 });
  }
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { id } = await find(ask, visit);
  await ask(visit, deleteStatusPageIncident, { params: { incidentId: id } });
  return redirect("/incidents?done=deleted");
}

/** @throws {AppError} not_found also for incidents of other accounts */
function find(ask: Ask, visit: Visit): Promise<IncidentRead> {
  return ask(visit, getStatusPageIncident, { params: { incidentId: visit.request.params["incidentId"] ?? "" } });
}

/** Browsers send line breaks as two characters. */
function textOf(form: URLSearchParams, name: string): string {
  return typed(form, name).replaceAll("\r\n", "\n");
}
