import { Severity } from "#contract/checks/ssl.ts";
import { checkFieldTexts } from "../../../texts/check-fields.ts";
import type { CheckField } from "../check-field.ts";

const texts = checkFieldTexts.baseline;
const tls = { kind: "choice", options: ["TLS1.2", "TLS1.3"] } as const;
const bits = { kind: "number" } as const;

/** The rules of the security baseline, and what they compare with. */
const rules = {
  minTLSVersion: tls,
  minKeySizeBits: bits,
  weakSignatureAlgorithm: null,
  weakCipherSuite: null,
  knownBadCA: null,
  recommendedTLSVersion: tls,
  recommendedKeySizeBits: bits,
  ocspMustStapleRespected: null,
  sctPresent: null,
} as const;

const path = "request.sslConfig.securityBaseline";

export const baselineFields: readonly CheckField[] = [
  { path: `${path}.enabled`, label: texts.enabled, kind: "flag", within: "baseline" },
  ...(Object.keys(rules) as (keyof typeof rules)[]).flatMap(ruleFields),
];

function ruleFields(name: keyof typeof rules): readonly CheckField[] {
  const severity = {
    path: `${path}.${name}.severity`,
    kind: "choice",
    options: Severity.options,
    optionTexts: texts.severities,
    within: "baseline",
  } as const;
  const value = rules[name];
  if (value === null) return [{ ...severity, label: texts[name] }];
  return [
    { path: `${path}.${name}.value`, label: texts[name], ...value, within: "baseline" },
    { ...severity, label: texts.severityOf(texts[name]) },
  ];
}
