import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { publishedTexts as texts } from "../../texts/published.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { kindPages } from "../kind-pages.ts";
import { typed } from "../people/person-fields.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import type { ListNews } from "./published-page.ts";

type List = (visit: Visit, news: ListNews) => Promise<FormAnswer>;

const listNews = { created: "serviceAdded", changed: "serviceChanged", deleted: "serviceDeleted" } as const;

/** What status pages show is added, renamed and deleted. */
export function servicePages(ask: Ask, list: List): readonly ConsolePage[] {
  return kindPages<"status-page-service", Pick<StatusPageService, "name">>(ask, {
    kind: "status-page-service",
    path: "/pages/services",
    after: (done) => `/pages?done=${listNews[done]}`,
    page: (visit, { stored, draft: { name }, ...view }) =>
      stored === null ? list(visit, { service: name, ...view }) : formPage(visit, stored, name, view),
    drafted: (service) => service,
    typed: (form) => ({ name: typed(form, "name") }),
    body: (draft) => draft,
    fields: () => ["name"],
  });
}

function formPage(
  visit: Visit,
  service: StatusPageService,
  name: string,
  { problems = {}, status = 200 }: { readonly problems?: FormProblems; readonly status?: number },
): FormAnswer {
  const title = texts.renameService(service.name);
  const content = html`${field({ name: "name", label: texts.serviceName, value: name, autocomplete: "off", maxLength: 255, isFirst: true, problems })}
<div class="send"><button>${actionTexts.save}</button><a href="/pages">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/pages">${texts.title}</a></p>
<h1>${title}</h1>
<p class="lead">${texts.aboutRenaming}</p>
${problemBox(problems[""])}
${postForm(`/pages/services/${service.id}`, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title, style: tellStyle, body }), status };
}
