import { UrlAssertion } from "#contract/checks/url.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { httpFields, httpMeasures } from "../shared/http.ts";
import { httpDetails } from "../shared/http-details.ts";
import { limitFields } from "../shared/network-fields.ts";

export const url: CheckTypeInConsole<"URL"> = {
  form: {
    fields: [{ path: "request.url", label: texts.url, kind: "text", hint: texts.urlExample }, ...limitFields, ...httpFields],
    start: { request: { url: "", followRedirects: true }, degradedResponseTime: 3_000, maxResponseTime: 5_000 },
    assertions: assertionChoices(UrlAssertion),
  },
  measures: httpMeasures,
  subject: ({ request }) => request.url,
  details: httpDetails,
};
