import { traitsOf } from "#contract/checks/traits.ts";
import { AppError } from "#domain/app-error.ts";
import { templateNames } from "#domain/templates/template-names.ts";
import { type Imported, Importing, nameOf } from "../imported.ts";
import { frequencyFields } from "../limits.ts";
import { type Fields, fieldsOf, isFields, listOf, otherFields, readYaml, textOf, textsOf } from "../yaml-text.ts";
import { readCondition } from "./conditions.ts";
import type { EndpointCheck } from "./endpoint.ts";
import { endpointChecks } from "./endpoint-checks.ts";

const checked = ["endpoints", "services", "external-endpoints"];
const endpointFields = [
  ["name", "group", "url", "method", "conditions", "interval", "graphql", "body", "headers", "dns", "client", "enabled", "extra-labels"],
  ["ui", "always-run", "store"],
].flat();
const minuteMs = 60_000;

/**
 * One check per endpoint, with an assertion per condition; an endpoint with a condition on its certificate gets an SSL monitor beside
 * it. External endpoints that have a heartbeat become heartbeats.
 *
 * @throws {AppError} invalid_input when it has no endpoints
 */
export function importGatus(text: string): Imported {
  const importing = new Importing();
  const documents = readYaml(text).map(fieldsOf);
  if (!documents.some((document) => checked.some((name) => listOf(document[name]).length > 0))) {
    throw new AppError("invalid_input", "the file has no endpoints of Gatus");
  }
  for (const document of documents) {
    for (const section of otherFields(document, checked)) importing.warn(section, "left out: it is no endpoint");
    // Older configurations call them services.
    for (const name of ["endpoints", "services"]) {
      listOf(document[name]).forEach((endpoint, index) => importEndpoint(importing, fieldsOf(endpoint), `${name}[${index}]`));
    }
    listOf(document["external-endpoints"]).forEach((endpoint, index) =>
      importExternal(importing, fieldsOf(endpoint), `external-endpoints[${index}]`),
    );
  }
  return importing;
}

function importEndpoint(importing: Importing, given: Fields, where: string): void {
  const settings = withTemplates(importing, given, where);
  for (const field of otherFields(settings, endpointFields)) importing.warn(`${where}.${field}`, "left out: no check has such a setting");
  const conditions = textsOf(settings["conditions"]).flatMap((text, index) => {
    const condition = readCondition(text, `${where}.conditions[${index}]`);
    if (condition === undefined) importing.warn(`${where}.conditions[${index}]`, "left out: it is no comparison of a placeholder");
    return condition ?? [];
  });
  const url = textOf(settings["url"]) ?? "";
  const common = {
    ...commonFields(settings, where),
    ...frequencyFields(importing, `${where}.interval`, settings["interval"], minuteMs),
  };
  for (const { nameSuffix = "", ...check } of endpointChecks(importing, { where, settings, url, conditions })) {
    const isAdded = importing.add(where, { ...common, ...check, name: nameOf(`${common.name}${nameSuffix}`) });
    if (isAdded) tellTemplates(importing, where, check);
  }
}

/** Agents fill in templates of some requests, and not in their assertions. */
function tellTemplates(importing: Importing, where: string, { checkType, request }: EndpointCheck): void {
  const { assertions, ...filledIn } = { assertions: [], ...request };
  const isFilledIn = traitsOf(checkType).fillsTemplates;
  const names = templateNames(isFilledIn ? assertions : [filledIn, assertions]);
  if (names.size === 0) return;
  const place = isFilledIn ? "assertions" : `checks of type ${checkType}`;
  importing.warn(where, `write in the value of ${[...names].join(", ")}: ${place} have no templates`);
}

function importExternal(importing: Importing, settings: Fields, where: string): void {
  const { interval } = fieldsOf(settings["heartbeat"]);
  const [, period, unit = ""] = /^(\d+)([smh])$/.exec(textOf(interval) ?? "") ?? [];
  if (period === undefined) {
    return importing.warn(where, "left out: an external endpoint becomes a heartbeat only by its heartbeat.interval");
  }
  const heartbeat = { period: Number(period), periodUnit: periodUnits[unit], grace: 0, graceUnit: "seconds" };
  if (importing.add(where, { checkType: "HEARTBEAT", ...commonFields(settings, where), heartbeat })) {
    importing.warn(where, "becomes a heartbeat: its sender must call the new ping URL instead of Gatus");
  }
}

const periodUnits: Readonly<Record<string, string>> = { s: "seconds", m: "minutes", h: "hours" };

function commonFields(settings: Fields, where: string) {
  const group = textOf(settings["group"]);
  const name = textOf(settings["name"]) ?? where;
  const labels = Object.entries(fieldsOf(settings["extra-labels"])).flatMap(([label, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [`${label}:${text}`.slice(0, 255)];
  });
  return {
    name: nameOf(group === undefined ? name : `${group}: ${name}`),
    tags: [...new Set([...(group ? [group.slice(0, 255)] : []), ...labels])],
    ...(settings["enabled"] === false && { activated: false }),
  };
}

/** Gatus replaces `${NAME}` by the environment when it starts; a check has variables for that. `$$` is a dollar sign. */
function withTemplates(importing: Importing, given: Fields, where: string): Fields {
  const names = new Set<string>();
  const replaced = mapTexts(given, (text) =>
    text.replace(/\$\$|\$\{(\w+)\}|\$([A-Za-z_]\w*)/g, (whole, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare;
      if (name === undefined) return whole.slice(1);
      names.add(name);
      return `{{{${name}}}}`;
    }),
  );
  if (names.size > 0) importing.warn(where, `needs environment variables of these names: ${[...names].join(", ")}`);
  return fieldsOf(replaced);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, mapTexts(entry, change)]));
}
