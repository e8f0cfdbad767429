import {
  deleteStatusPageIncidentUpdate,
  getStatusPageIncident,
  getStatusPageIncidentUpdate,
  updateStatusPageIncident,
  updateStatusPageIncidentUpdate,
} from "#contract/status-pages/incidents.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { incidentTexts as texts } from "../../texts/incidents.ts";
import type { Ask } from "../ask.ts";
import type { FormProblems } from "../form-view.ts";
import { typed } from "../people/person-fields.ts";
import { allServices } from "../published/read-pages.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { editIncidentPage, editUpdatePage } from "./edit-incident-page.ts";

const access = "write";

/** Correcting an incident, or what was told of it. */
export function editIncidentPages(ask: Ask): readonly ConsolePage[] {
  const incident = "/incidents/{incidentId}/edit";
  const update = "/incidents/{incidentId}/updates/{incidentUpdateId}";
  return [
    { method: "GET", path: incident, access, answer: (visit) => showIncident(ask, visit) },
    { method: "POST", path: incident, access, answer: (visit) => changeIncident(ask, visit) },
    { method: "GET", path: update, access, answer: (visit) => showUpdate(ask, visit) },
    { method: "POST", path: update, access, answer: (visit) => changeUpdate(ask, visit) },
    { method: "POST", path: `${update}/delete`, access, answer: (visit) => removeUpdate(ask, visit) },
  ];
}

function incidentOf(ask: Ask, visit: Visit) {
  const { incidentId = "" } = visit.request.params;
  return ask(visit, getStatusPageIncident, { params: { incidentId } });
}

async function showIncident(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const incident = await incidentOf(ask, visit);
  const { name, severity } = incident;
  const chosen = incident.services.map(({ id }) => id);
  return editIncidentPage(visit, { incident, services: await allServices(ask, visit), draft: { name, severity, chosen } });
}

async function changeIncident(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const incident = await incidentOf(ask, visit);
  const { form } = visit.request;
  const draft = { name: typed(form, "name"), severity: form.get("severity") ?? "", chosen: form.getAll("services") };
  const services = draft.chosen.map((id) => ({ id, name: "", accountId: visit.account.uuid }));
  const body = { name: draft.name, severity: draft.severity, services };
  try {
    await ask(visit, updateStatusPageIncident, { params: { incidentId: incident.id }, body });
    return redirect(`/incidents/${incident.id}?done=changed`);
  } catch (error) {
    const problems = refusedFields(error, ["name", "services"]);
    const told: FormProblems = draft.chosen.length === 0 ? { ...problems, services: texts.noServiceChosen } : problems;
    return editIncidentPage(visit, { incident, services: await allServices(ask, visit), draft, problems: told, status: 400 });
  }
}

function updateOf(ask: Ask, visit: Visit) {
  return ask(visit, getStatusPageIncidentUpdate, { params: visit.request.params });
}

async function showUpdate(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const [incident, update] = await Promise.all([incidentOf(ask, visit), updateOf(ask, visit)]);
  return editUpdatePage(visit, { incident, update, description: update.description, status: update.status ?? "" });
}

async function changeUpdate(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const [incident, update] = await Promise.all([incidentOf(ask, visit), updateOf(ask, visit)]);
  const { form, params } = visit.request;
  const description = typed(form, "description").replaceAll("\r\n", "\n");
  const status = form.get("status") ?? "";
  // What was sent to subscribers is not sent again.
  const body = { description, status, notifySubscribers: update.notifySubscribers };
  try {
    await ask(visit, updateStatusPageIncidentUpdate, { params, body });
    return redirect(`/incidents/${incident.id}?done=corrected`);
  } catch (error) {
    const problems = refusedFields(error, ["description"]);
    return editUpdatePage(visit, { incident, update, description, status, problems, httpStatus: 400 });
  }
}

async function removeUpdate(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const incident = await incidentOf(ask, visit);
  await ask(visit, deleteStatusPageIncidentUpdate, { params: visit.request.params });
  return redirect(`/incidents/${incident.id}?done=withdrawn`);
}
