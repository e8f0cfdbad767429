import { AppError } from "#domain/app-error.ts";
import { withoutCredentials } from "../http-parts.ts";
import { type AssertionDraft, type Imported, Importing, nameOf } from "../imported.ts";
import { allowStatusClass, allowStatuses } from "../status-assertions.ts";
import { type Fields, fieldsOf, isFields, listOf, readYaml, textOf, textsOf } from "../yaml-text.ts";
import { fillParameters } from "./parameters.ts";
import { resolved } from "./references.ts";
import { credentialsOf } from "./security.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/**
 * One API check per GET operation, with the document's own examples for what must be sent, and an assertion on the documented success
 * status. Other methods may change something, so they are left out.
 *
 * @throws {AppError} invalid_input when it is no OpenAPI 3 document
 */
export function importOpenApi(text: string): Imported {
  const importing = new Importing();
  const documents = readYaml(text);
  if (documents.length === 0) throw new AppError("invalid_input", "the file is empty");
  for (const document of documents) importDocument(importing, document);
  return importing;
}

function importDocument(importing: Importing, document: unknown): void {
  if (!isFields(document) || textOf(document["openapi"])?.startsWith("3.") !== true) {
    const isOld = isFields(document) && document["swagger"] !== undefined;
    throw new AppError("invalid_input", isOld ? "the file is Swagger 2.0; convert it to OpenAPI 3" : "the file has no field openapi: 3.x");
  }
  const leftOut: string[] = [];
  for (const [path, item] of Object.entries(fieldsOf(document["paths"]))) {
    const operations = resolved(document, item);
    if (operations === undefined) importing.warn(`paths.${path}`, "left out: it refers to something outside of the document");
    else leftOut.push(...importPath(importing, document, path, operations));
  }
  if (leftOut.length > 0) {
    const counts = [...Map.groupBy(leftOut, (method) => method)].map(([method, all]) => `${all.length} ${method.toUpperCase()}`);
    importing.warn("paths", `operations that are not GET are left out, since they may change something: ${counts.join(", ")}`);
  }
  if (document["webhooks"] !== undefined) importing.warn("webhooks", "left out: there is nothing to call");
}

/** @returns the methods that no check is made of */
function importPath(importing: Importing, document: Fields, path: string, item: Fields): string[] {
  const declared = methods.filter((method) => path.startsWith("/") && isFields(item[method]));
  if (declared.includes("get")) importOperation(importing, document, path, item);
  return declared.filter((method) => method !== "get");
}

function importOperation(importing: Importing, document: Fields, path: string, item: Fields): void {
  const operation = fieldsOf(item["get"]);
  const where = `paths.${path}.get`;
  if (operation["deprecated"] === true) return importing.warn(where, "left out: it is deprecated");
  const server = serverOf(importing, document, item, operation, where);
  if (server === undefined) return;
  const parameters = fillParameters(document, path, [...listOf(item["parameters"]), ...listOf(operation["parameters"])]);
  if (parameters.problems.length > 0) return importing.warn(where, `left out: ${parameters.problems.join("; ")}`);
  const credentials = credentialsOf(importing, document, operation);
  const { url, basicAuth: inUrl } = withoutCredentials(`${server.replace(/\/+$/, "")}${parameters.path}`);
  const { assertions, followRedirects } = expectedOf(importing, operation, where);
  const basicAuth = credentials.basicAuth ?? inUrl;
  importing.add(where, {
    checkType: "API",
    name: nameOf(textOf(operation["summary"]) || textOf(operation["operationId"]) || `GET ${path}`),
    ...descriptionOf(operation),
    tags: [
      ...new Set(
        textsOf(operation["tags"])
          .filter((tag) => tag !== "")
          .map((tag) => tag.slice(0, 255)),
      ),
    ],
    request: {
      method: "GET",
      url,
      followRedirects,
      headers: [...parameters.headers, ...credentials.headers],
      queryParameters: [...parameters.queryParameters, ...credentials.queryParameters],
      assertions,
      ...(basicAuth && { basicAuth }),
    },
  });
}

function descriptionOf(operation: Fields): object {
  const description = textOf(operation["description"])?.trim();
  return description ? { description: description.slice(0, 500) } : {};
}

/** The first absolute address of the operation, its path or the document, with the defaults of its variables. */
function serverOf(importing: Importing, document: Fields, item: Fields, operation: Fields, where: string): string | undefined {
  const servers = [operation["servers"], item["servers"], document["servers"]].find((list) => listOf(list).length > 0);
  for (const server of listOf(servers).filter(isFields)) {
    const variables = fieldsOf(server["variables"]);
    const url = (textOf(server["url"]) ?? "").replace(/\{([^{}]+)\}/g, (whole, name: string) => {
      const value = fieldsOf(Object.hasOwn(variables, name) ? variables[name] : undefined);
      return textOf(value["default"]) ?? textsOf(value["enum"])[0] ?? whole;
    });
    if (!/^https?:\/\/[^/]/i.test(url) || /[{}]/.test(url)) continue;
    if (listOf(servers).length > 1) importing.warn("servers", "of several servers, the first absolute one is checked");
    return url;
  }
  importing.warn(where, "left out: no server of it has an absolute http or https address");
  return undefined;
}

/** What the documented responses promise of a success. */
function expectedOf(
  importing: Importing,
  operation: Fields,
  where: string,
): { readonly assertions: readonly AssertionDraft[]; readonly followRedirects: boolean } {
  const documented = Object.keys(fieldsOf(operation["responses"]));
  if (documented.some((code) => /^2XX$/i.test(code))) return { assertions: allowStatusClass(2), followRedirects: true };
  const codes = documented.filter((code) => /^[23]\d\d$/.test(code)).map(Number);
  const successes = codes.filter((code) => code < 300);
  if (successes.length > 0) return { assertions: allowStatuses(successes).assertions, followRedirects: true };
  if (codes.length > 0) return { assertions: allowStatuses(codes).assertions, followRedirects: false };
  if (!documented.includes("default")) importing.warn(where, "it documents no success: a status of 400 or more fails the check");
  return { assertions: [], followRedirects: true };
}
