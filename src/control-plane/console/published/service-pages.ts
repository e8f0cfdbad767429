import {
  createStatusPageService,
  deleteStatusPageService,
  getStatusPageService,
  type StatusPageService,
  updateStatusPageService,
} from "#contract/status-pages/services.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { publishedTexts as texts } from "../../texts/published.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import type { ListNews } from "./published-page.ts";

const access = "write";

type List = (visit: Visit, news: ListNews) => Promise<FormAnswer>;

/** What status pages show is added, renamed and deleted. */
export function servicePages(ask: Ask, list: List): readonly ConsolePage[] {
  const one = "/pages/services/{serviceId}";
  const write = { method: "POST", access } as const;
  return [
    { ...write, path: "/pages/services", answer: (visit) => add(ask, visit, list) },
    { method: "GET", path: one, access, answer: (visit) => show(ask, visit) },
    { ...write, path: one, answer: (visit) => rename(ask, visit) },
    { ...write, path: `${one}/delete`, answer: (visit) => remove(ask, visit) },
  ];
}

async function add(ask: Ask, visit: Visit, list: List): Promise<FormAnswer> {
  const name = typed(visit.request.form, "name");
  try {
    await ask(visit, createStatusPageService, { body: { name } });
    return redirect("/pages?done=serviceAdded");
  } catch (error) {
    return list(visit, { service: name, problems: refusedFields(error, ["name"]), status: 400 });
  }
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const service = await ask(visit, getStatusPageService, { params: paramsOf(visit) });
  return formPage(visit, service, service.name);
}

async function rename(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const params = paramsOf(visit);
  const service = await ask(visit, getStatusPageService, { params });
  const name = typed(visit.request.form, "name");
  try {
    await ask(visit, updateStatusPageService, { params, body: { name } });
    return redirect("/pages?done=serviceChanged");
  } catch (error) {
    return { ...formPage(visit, service, name, refusedFields(error, ["name"])), status: 400 };
  }
}

function formPage(visit: Visit, service: StatusPageService, name: string, problems: FormProblems = {}): FormAnswer {
  const title = texts.renameService(service.name);
  const content = html`${field({ name: "name", label: texts.serviceName, value: name, autocomplete: "off", maxLength: 255, isFirst: true, problems })}
<div class="send"><button>${actionTexts.save}</button><a href="/pages">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/pages">${texts.title}</a></p>
<h1>${title}</h1>
<p class="lead">${texts.aboutRenaming}</p>
${problemBox(problems[""])}
${postForm(`/pages/services/${service.id}`, visit.csrf, content, "form")}`;
  return consolePage(visit, { title, style: tellStyle, body });
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  await ask(visit, deleteStatusPageService, { params: paramsOf(visit) });
  return redirect("/pages?done=serviceDeleted");
}

function paramsOf({ request: { params } }: Visit) {
  return { serviceId: params["serviceId"] ?? "" };
}
