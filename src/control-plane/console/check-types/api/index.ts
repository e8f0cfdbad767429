import { ApiAssertion } from "#contract/checks/api.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { httpFields, httpMeasures } from "../shared/http.ts";
import { httpDetails } from "../shared/http-details.ts";
import { limitFields } from "../shared/network-fields.ts";
import { requestScriptFields, runtimeField } from "../shared/script-fields.ts";

export const api: CheckTypeInConsole<"API"> = {
  form: {
    fields: [
      {
        path: "request.method",
        label: texts.method,
        kind: "choice",
        options: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
      },
      { path: "request.url", label: texts.url, kind: "text", hint: texts.apiExample },
      { path: "request.headers", label: texts.headers, kind: "pairs", between: ":", hint: texts.headersHint },
      { path: "request.queryParameters", label: texts.parameters, kind: "pairs", between: "=", hint: texts.parametersHint, within: "more" },
      { path: "request.bodyType", label: texts.body, kind: "choice", options: Object.keys(texts.bodyTypes), optionTexts: texts.bodyTypes },
      { path: "request.body", label: texts.bodyContent, kind: "area" },
      ...limitFields,
      ...httpFields,
      { path: "request.basicAuth.username", label: texts.user, kind: "text", within: "more" },
      { path: "request.basicAuth.password", label: texts.password, kind: "password", hint: texts.keptPassword, within: "more" },
      ...requestScriptFields,
      { ...runtimeField, within: "scripts" },
    ],
    start: {
      request: {
        method: "GET",
        url: "",
        followRedirects: true,
        bodyType: "NONE",
        assertions: [{ source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "200" }],
      },
      degradedResponseTime: 5_000,
      maxResponseTime: 20_000,
    },
    assertions: assertionChoices(ApiAssertion),
  },
  measures: httpMeasures,
  subject: ({ request }) => `${request.method} ${request.url}`,
  details: httpDetails,
};
