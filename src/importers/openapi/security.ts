import type { BasicAuth, Pair } from "../http-parts.ts";
import type { Importing } from "../imported.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../yaml-text.ts";
import { resolved } from "./references.ts";

/** What an operation's security adds to its request: templates of variables, since a document holds no secrets. */
export interface Credentials {
  readonly headers: readonly Pair[];
  readonly queryParameters: readonly Pair[];
  readonly basicAuth?: BasicAuth;
}

/** The first way in that the operation names; none where it can be called without. */
export function credentialsOf(importing: Importing, document: Fields, operation: Fields): Credentials {
  const ways = listOf(operation["security"] ?? document["security"]).filter(isFields);
  const isOpen = ways.some((way) => Object.keys(way).length === 0);
  const all = { headers: [] as Pair[], queryParameters: [] as Pair[] };
  let basicAuth: BasicAuth | undefined;
  for (const name of isOpen ? [] : Object.keys(ways[0] ?? {})) {
    const where = `components.securitySchemes.${name}`;
    const scheme = resolved(document, fieldsOf(fieldsOf(document["components"])["securitySchemes"])[name]) ?? {};
    const given = credentialOf(scheme, variableName(name));
    if (given === undefined) {
      importing.warn(where, "this way of authentication cannot be expressed: calls go without it");
      continue;
    }
    all.headers.push(...(given.headers ?? []));
    all.queryParameters.push(...(given.queryParameters ?? []));
    basicAuth ??= given.basicAuth;
    importing.warn(where, `calls need the secret environment variable ${given.variables.join(" and ")}: create it`);
  }
  return { ...all, ...(basicAuth && { basicAuth }) };
}

interface Credential extends Partial<Credentials> {
  readonly variables: readonly string[];
}

/** Undefined for what a check cannot do. */
function credentialOf(scheme: Fields, variable: string): Credential | undefined {
  const template = `{{${variable}}}`;
  const key = textOf(scheme["name"]) ?? "";
  const variables = [variable];
  switch (schemeKind(scheme)) {
    case "basic": {
      const [username, password] = [`${variable}_USERNAME`, `${variable}_PASSWORD`];
      return { basicAuth: { username: `{{${username}}}`, password: `{{${password}}}` }, variables: [username, password] };
    }
    case "token":
      return { headers: [locked("Authorization", `${schemeWord(scheme)} ${template}`)], variables };
    case "query":
      return { queryParameters: [locked(key, template)], variables };
    case "cookie":
      return { headers: [locked("Cookie", `${key}=${template}`)], variables };
    case "header":
      return { headers: [locked(key, template)], variables };
    case undefined:
      return undefined;
  }
}

function schemeKind(scheme: Fields): "basic" | "token" | "query" | "cookie" | "header" | undefined {
  const [type, place] = [textOf(scheme["type"]), textOf(scheme["in"])];
  if (type === "http") return textOf(scheme["scheme"])?.toLowerCase() === "basic" ? "basic" : "token";
  if (type === "oauth2" || type === "openIdConnect") return "token";
  return type === "apiKey" && (place === "query" || place === "cookie" || place === "header") ? place : undefined;
}

function schemeWord(scheme: Fields): string {
  const word = scheme["type"] === "http" ? (textOf(scheme["scheme"]) ?? "bearer") : "bearer";
  return word.toLowerCase() === "bearer" ? "Bearer" : word;
}

function locked(key: string, value: string): Pair {
  return { key, value, locked: true };
}

/** `bearerAuth` becomes `BEARER_AUTH`. */
function variableName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
  return /^[A-Z_]/.test(words) ? words : `API_${words}`;
}
