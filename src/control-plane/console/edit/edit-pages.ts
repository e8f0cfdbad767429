import { checkWrites, createCheck, deleteCheck, getCheckV1, updateCheck } from "#contract/checks/operations.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import { listPrivateLocations } from "#contract/private-locations.ts";
import { listSnippets } from "#contract/snippets.ts";
import { listVariables } from "#contract/variables.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { LocationStore } from "../../storage/storage.ts";
import { actionTexts } from "../../texts/actions.ts";
import { checkFormTexts as texts } from "../../texts/check-form.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { checkTypesInConsole } from "../check-types/index.ts";
import { postForm } from "../form-view.ts";
import { allGroups } from "../groups/all-groups.ts";
import { allServices } from "../published/read-pages.ts";
import { refusedFields } from "../refused-fields.ts";
import { consolePage } from "../shell.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { mergedBody } from "./changed-since.ts";
import { channelChoices, startChannels, withChannels } from "./channel-choices.ts";
import { copyBody, type DuplicateDeps, originalOf, withOriginalSecrets } from "./duplicate.ts";
import { type EditView, editPage, problemPlaces } from "./edit-page.ts";
import { afterSaving, runOfForm } from "./save-and-run.ts";
import { startOf } from "./start-of.ts";
import { isTry, triedByScript, triedForm } from "./try-pages.ts";
import { typePage } from "./type-page.ts";
import { validatePages } from "./validate-pages.ts";
import { bodyOf } from "./values.ts";

export interface EditPageDeps extends DuplicateDeps {
  readonly locations: Pick<LocationStore, "servedDataCenters">;
}

interface Deps extends EditPageDeps {
  readonly ask: Ask;
}

/** Making, changing and deleting checks in a form, by the operations of their type. */
export function editPages(ask: Ask, pageDeps: EditPageDeps): readonly ConsolePage[] {
  const deps = { ...pageDeps, ask };
  return [
    { method: "GET", path: "/checks/new", access: "write", answer: (visit) => begin(deps, visit) },
    { method: "POST", path: "/checks/new", access: "write", answer: (visit) => create(deps, visit) },
    { method: "GET", path: "/checks/{id}/edit", access: "write", answer: (visit) => change(deps, visit) },
    { method: "POST", path: "/checks/{id}/edit", access: "write", answer: (visit) => save(deps, visit) },
    { method: "GET", path: "/checks/{id}/delete", access: "write", answer: (visit) => askRemoval(ask, visit) },
    { method: "POST", path: "/checks/{id}/delete", access: "write", answer: (visit) => remove(ask, visit) },
    ...validatePages(ask),
  ];
}

async function begin(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const original = await originalOf(deps.ask, visit, visit.request.query.get("from"));
  if (original !== null) {
    const { check } = original;
    const type = check.checkType;
    const choices = await choicesOf(deps, visit, type);
    return editPage(visit, { type, id: null, original: check, body: copyBody(original), stored: check, problems: {}, ...choices });
  }
  const type = CheckTypeName.safeParse(visit.request.query.get("type")).data;
  if (type === undefined) return typePage(visit);
  const choices = await choicesOf(deps, visit, type);
  const privateLocations = choices.places.slice(0, 1).map(([slug]) => slug);
  const locations = privateLocations.length > 0 ? [] : choices.servedCenters.slice(0, 1);
  const alertChannelSubscriptions = startChannels(choices.channels);
  return editPage(visit, {
    type,
    id: null,
    body: { ...startOf(type, visit.request.query.get("template")), privateLocations, locations, alertChannelSubscriptions },
    stored: null,
    problems: {},
    ...choices,
  });
}

async function create(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const type = CheckTypeName.safeParse(form.get("type")).data;
  const original = await originalOf(deps.ask, visit, form.get("from"));
  if (type === undefined || (original !== null && original.check.checkType !== type)) return typePage(visit);
  const check = original?.check ?? null;
  const typed = bodyOf(type, form, check ?? startOf(type));
  const body = withChannels({ ...original?.copy, ...typed }, form, check?.alertChannelSubscriptions);
  const whole = await withOriginalSecrets(deps, visit, original, body);
  return sent(deps, visit, { type, id: null, original: check, body, stored: check, whole }, async () => {
    const query = { autoAssignAlerts: String(!("alertChannelSubscriptions" in body)) };
    const given = { query, body: { ...whole, checkType: type } };
    const { id } = await deps.ask(visit, hasOwnWrites(type) ? checkWrites[type].create : createCheck, given);
    return redirect(await afterSaving(deps.ask, visit, id));
  });
}

async function change(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const { check, type } = await stored(deps.ask, visit);
  const run = await runOfForm(deps.ask, visit, check.id);
  return editPage(visit, { type, id: check.id, body: check, stored: check, problems: {}, ...(await choicesOf(deps, visit, type)), run });
}

async function save(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const { check, type } = await storedStill(deps.ask, visit);
  const { form } = visit.request;
  const body = withChannels(bodyOf(type, form, check), form, check.alertChannelSubscriptions);
  const view = { type, id: check.id, body, stored: check, tryAt: form.getAll("runLocation") };
  return sent(deps, visit, view, async () => {
    const merged = mergedBody(form, body, check);
    if (merged.both.length > 0) {
      return editPage(visit, { ...view, both: merged.both, problems: {}, ...(await choicesOf(deps, visit, type)), status: 409 });
    }
    const given = { params: { id: check.id }, body: merged.body };
    await deps.ask(visit, hasOwnWrites(type) ? checkWrites[type].update : updateCheck, given);
    return redirect(await afterSaving(deps.ask, visit, check.id));
  });
}

/** For the menus of the list, where there is no room to ask. */
async function askRemoval(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { check } = await stored(ask, visit);
  const body = html`<p class="crumbs"><a href="/checks">${texts.checks}</a> / <a href="/checks/${check.id}">${check.name}</a></p>
<h1>${texts.deleteTitle(check.name)}</h1><p>${texts.deleteQuestion(check.name)}</p>
${postForm(`/checks/${check.id}/delete`, visit.csrf, html`<button class="danger">${texts.delete}</button>`)}
<p><a href="/checks/${check.id}">${actionTexts.cancel}</a></p>`;
  return consolePage(visit, { title: texts.deleteTitle(check.name), body });
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  await ask(visit, deleteCheck, { params: { id: visit.request.params["id"] ?? "" } });
  return redirect("/checks?done=delete");
}

/** @throws {AppError} not_found */
async function stored(ask: Ask, visit: Visit) {
  const check = await ask(visit, getCheckV1, { params: { id: visit.request.params["id"] ?? "" } });
  return { check, type: check.checkType };
}

/** The same for a form that was shown. @throws {AppError} not_found in words for whom edited it */
async function storedStill(ask: Ask, visit: Visit) {
  try {
    return await stored(ask, visit);
  } catch (error) {
    if (!hasCode(error, "not_found")) throw error;
    throw new AppError("not_found", texts.deletedMeanwhile, { cause: error });
  }
}

/** Some types are written by the operations of all types. */
function hasOwnWrites(type: CheckTypeName): type is keyof typeof checkWrites {
  return Object.hasOwn(checkWrites, type);
}

/** `whole`: the body with the secrets that the form does not show, for trials; absent: it is the body. */
type Sent = Pick<EditView, "type" | "id" | "body" | "stored" | "original"> & { readonly whole?: EditView["body"] };

/** Saves the form, or tries what stands in it. Where something is wrong: the form once more with what was typed, and that beside its field. */
async function sent(deps: Deps, visit: Visit, { whole, ...form }: Sent, write: () => Promise<FormAnswer>): Promise<FormAnswer> {
  const view = { ...form, tryAt: visit.request.form.getAll("runLocation") };
  const tried = whole === undefined ? view : { ...view, body: whole };
  if (isTry(visit) && visit.request.headers["accept"] === "application/json") return triedByScript(deps.ask, visit, tried);
  try {
    if (!isTry(visit)) return await write();
    const trial = await triedForm(deps.ask, visit, tried);
    return editPage(visit, { ...view, problems: {}, ...(await choicesOf(deps, visit, view.type)), tried: trial });
  } catch (error) {
    const problems = refusedFields(error, problemPlaces(view.type));
    return editPage(visit, { ...view, problems, ...(await choicesOf(deps, visit, view.type)), status: 400 });
  }
}

async function choicesOf(
  { ask, locations: store }: Deps,
  visit: Visit,
  type: CheckTypeName,
): Promise<Pick<EditView, "places" | "servedCenters" | "channels" | "snippets" | "groups" | "services" | "variables">> {
  const { fields } = checkTypesInConsole[type].form;
  const hasA = (wanted: "snippet" | "code"): boolean => fields.some(({ kind }) => kind === wanted);
  const [locations, servedCenters, channels, groups, services, snippets, variables] = await Promise.all([
    ask(visit, listPrivateLocations),
    store.servedDataCenters(),
    channelChoices(ask, visit),
    allGroups(ask, visit),
    allServices(ask, visit),
    hasA("snippet") ? ask(visit, listSnippets, { query: { limit: "100" } }) : { items: [] },
    hasA("code") ? ask(visit, listVariables, { query: { limit: "100" } }) : { items: [] },
  ]);
  return {
    places: locations.map(({ slugName, name }) => [slugName, name] as const),
    servedCenters,
    channels,
    groups: groups.map(({ id, name }) => [String(id), name] as const),
    services: services.map(({ id, name }) => [id, name] as const),
    snippets: snippets.items.map(({ id, name }) => [String(id), name] as const),
    variables: variables.items.map(({ key }) => key),
  };
}
