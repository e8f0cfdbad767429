import { checkWrites, deleteCheck, getCheckV1 } from "#contract/checks/operations.ts";
import { listPrivateLocations } from "#contract/private-locations.ts";
import { AppError } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { channelChoices, everyChannel, withChannels } from "./channel-choices.ts";
import { type EditView, editPage, problemPlaces, typePage } from "./edit-page.ts";
import { type EditableType, editableTypes, startsOf } from "./fields.ts";
import { afterSaving, runOfForm } from "./save-and-run.ts";
import { validatePages } from "./validate-pages.ts";
import { bodyOf } from "./values.ts";

/** Making, changing and deleting checks in a form, by the operations of their type. */
export function editPages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/checks/new", access: "write", answer: (visit) => begin(ask, visit) },
    { method: "POST", path: "/checks/new", access: "write", answer: (visit) => create(ask, visit) },
    { method: "GET", path: "/checks/{id}/edit", access: "write", answer: (visit) => change(ask, visit) },
    { method: "POST", path: "/checks/{id}/edit", access: "write", answer: (visit) => save(ask, visit) },
    { method: "POST", path: "/checks/{id}/delete", access: "write", answer: (visit) => remove(ask, visit) },
    ...validatePages(ask),
  ];
}

function typeNamed(name: string | null): EditableType | undefined {
  return editableTypes.find((type) => type === name);
}

async function begin(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const type = typeNamed(visit.request.query.get("type"));
  if (type === undefined) return typePage(visit);
  const choices = await choicesOf(ask, visit);
  const privateLocations = choices.places.slice(0, 1).map(([slug]) => slug);
  const alertChannelSubscriptions = everyChannel(choices.channels);
  return editPage(visit, {
    type,
    id: null,
    body: { ...startsOf[type], privateLocations, alertChannelSubscriptions },
    stored: null,
    problems: {},
    ...choices,
  });
}

async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const type = typeNamed(form.get("type"));
  if (type === undefined) return typePage(visit);
  const body = withChannels(bodyOf(type, form, startsOf[type]), form, []);
  return orAgain(ask, visit, { type, id: null, body, stored: null }, async () => {
    const query = { autoAssignAlerts: String(!("alertChannelSubscriptions" in body)) };
    const { id } = await ask(visit, checkWrites[type].create, { query, body });
    return redirect(await afterSaving(ask, visit, id));
  });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { check, type } = await stored(ask, visit);
  const run = await runOfForm(ask, visit, check.id);
  return editPage(visit, { type, id: check.id, body: check, stored: check, problems: {}, ...(await choicesOf(ask, visit)), run });
}

async function save(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { check, type } = await stored(ask, visit);
  const { form } = visit.request;
  const body = withChannels(bodyOf(type, form, check), form, check.alertChannelSubscriptions);
  return orAgain(ask, visit, { type, id: check.id, body, stored: check }, async () => {
    await ask(visit, checkWrites[type].update, { params: { id: check.id }, body });
    return redirect(await afterSaving(ask, visit, check.id));
  });
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  await ask(visit, deleteCheck, { params: { id: visit.request.params["id"] ?? "" } });
  return redirect("/checks");
}

/** @throws {AppError} not_found; invalid_input for types that the form does not know */
async function stored(ask: Ask, visit: Visit) {
  const check = await ask(visit, getCheckV1, { params: { id: visit.request.params["id"] ?? "" } });
  const type = typeNamed(check.checkType);
  if (type === undefined) throw new AppError("invalid_input", `${check.checkType} checks are changed over the REST API`);
  return { check, type };
}

/** The form once more with what was typed, and what is wrong beside its field. */
async function orAgain(
  ask: Ask,
  visit: Visit,
  view: Pick<EditView, "type" | "id" | "body" | "stored">,
  write: () => Promise<FormAnswer>,
): Promise<FormAnswer> {
  try {
    return await write();
  } catch (error) {
    const problems = refusedFields(error, problemPlaces(view.type));
    return editPage(visit, { ...view, problems, ...(await choicesOf(ask, visit)), status: 400 });
  }
}

async function choicesOf(ask: Ask, visit: Visit): Promise<Pick<EditView, "places" | "channels">> {
  const [locations, channels] = await Promise.all([ask(visit, listPrivateLocations), channelChoices(ask, visit)]);
  return { places: locations.map(({ slugName, name }) => [slugName, name] as const), channels };
}
