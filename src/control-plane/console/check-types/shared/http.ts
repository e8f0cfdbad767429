import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckField } from "../check-field.ts";
import type { Measures } from "../check-type.ts";
import { familyField, skipTrustField } from "./network-fields.ts";

/** Of checks that send a request over HTTP. */
export const httpFields: readonly CheckField[] = [
  { path: "request.followRedirects", label: texts.followRedirects, kind: "flag", within: "more" },
  skipTrustField,
  familyField,
  { path: "shouldFail", label: texts.errorPasses, kind: "flag", within: "more" },
];

export const httpMeasures: Measures = {
  time: "responseTime",
  phases: ["wait", "dns", "tcp", "tls", "firstByte", "download"],
  others: [],
};
