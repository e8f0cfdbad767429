import { checkPageTexts } from "../../../texts/check-page.ts";
import type { CheckTypeInConsole, Measures } from "../check-type.ts";
import { scriptDetails } from "../script-run/details.ts";
import { scriptTemplates } from "../script-run/templates.ts";
import { journeyFields, scriptMeasures, scriptStart, sslDomainField } from "../shared/script-fields.ts";

/** How pages felt over time, what visitors notice most first. */
const vitalMeasures: Measures["others"] = (["LCP", "FCP", "TTFB", "TBT", "CLS"] as const).map((name) => ({
  metric: `${name}_avg`,
  title: checkPageTexts.charts.vitals[name],
  label: (step) => checkPageTexts.charts.vitalLabel(checkPageTexts.charts.vitals[name], step),
  unit: name === "CLS" ? "score" : "ms",
}));

export const browser: CheckTypeInConsole<"BROWSER"> = {
  form: { fields: [...journeyFields, sslDomainField], start: scriptStart, assertions: null, templates: scriptTemplates.BROWSER },
  measures: { ...scriptMeasures, others: vitalMeasures },
  subject: () => "",
  details: scriptDetails,
};
