import { readFileSync, writeFileSync } from "node:fs";
import { withDescriptions } from "./chart-schema.ts";
import { withChartValues } from "./chart-values.ts";
import { withSettings } from "./settings.ts";

/** `npm run docs`: writes the generated parts of the documents. */
const file = (path: string): URL => new URL(`../${path}`, import.meta.url);
const rewrite = (path: string, change: (text: string) => string): void => writeFileSync(file(path), change(readFileSync(file(path), "utf8")));

rewrite("docs/configuration.md", withSettings);
for (const chart of ["charts/agent", "charts/control-plane"]) {
  const values = readFileSync(file(`${chart}/values.yaml`), "utf8");
  rewrite(`${chart}/README.md`, (readme) => withChartValues(readme, values));
  rewrite(`${chart}/values.schema.json`, (schema) => withDescriptions(schema, values));
}
