import { parse } from "yaml";

/** A documented value of a chart: a leaf, a map that is documented as a whole, or the heading of a group. */
export interface ChartValue {
  readonly path: string;
  readonly about: string;
  readonly default: unknown;
  /** A heading: its values follow. */
  readonly isGroup: boolean;
}

/** The values of a chart that have a comment above them, in the order of `values.yaml`. */
export function chartValues(text: string): readonly ChartValue[] {
  const defaults: unknown = parse(text);
  const lines = text.split("\n");
  const found: Omit<ChartValue, "isGroup">[] = [];
  const above: string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, indent, key] = /^( *)([A-Za-z]\w*):/.exec(line) ?? [];
    if (indent === undefined || key === undefined) continue;
    const path = [...above.slice(0, indent.length / 2), key];
    above.splice(0, above.length, ...path);
    const value = valueAt(defaults, path);
    const about = commentAbove(lines, index, indent);
    if (value !== undefined && about !== "") found.push({ path: path.join("."), about, default: value });
  }
  return found.map((one) => ({ ...one, isGroup: found.some(({ path }) => path.startsWith(`${one.path}.`)) }));
}

/** A chart's README with its table of values made anew from `values.yaml`. */
export function withChartValues(readme: string, valuesYaml: string): string {
  const block = /(<!-- values -->\n)[^]*?(<!-- end -->)/;
  if (!block.test(readme)) throw new Error('the README of the chart has no block "values"');
  const rows = chartValues(valuesYaml).map(
    (value) => `| \`${value.path}\` | ${value.isGroup ? "" : defaultOf(value.default)} | ${value.about.replaceAll("|", "\\|")} |`,
  );
  const table = ["| Value | Default | Meaning |", "|---|---|---|", ...rows].join("\n");
  return readme.replace(block, (_, open: string, close: string) => `${open}${table}\n${close}`);
}

function commentAbove(lines: readonly string[], index: number, indent: string): string {
  const comment: string[] = [];
  for (let at = index - 1; lines[at]?.startsWith(`${indent}# `) === true; at -= 1) comment.unshift(lines[at]?.slice(indent.length + 2) ?? "");
  return comment.join(" ");
}

/** Undefined below a list: what is in it is no value of its own. */
function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return (value as Readonly<Record<string, unknown>>)[key]; // what is no list and not null is a map
  }, values);
}

function defaultOf(value: unknown): string {
  return value === "" ? "–" : `\`${JSON.stringify(value)}\``;
}
