import { openApiDocument } from "#contract/openapi.ts";
import { agentOperations, operations } from "#contract/operations.ts";
import { version } from "#daemon/version.ts";
import { apiReference } from "./api-reference.ts";

/** The API as a page and as an OpenAPI document; made when they are first asked for. */
export function apiDocuments(publicUrl: () => string) {
  const document = () => openApiDocument({ version, serverUrl: publicUrl(), operations: [...operations, ...agentOperations] });
  const once = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    return () => (made ??= make());
  };
  return [
    { path: "/docs", answer: once(() => apiReference(document())) },
    { path: "/openapi.json", answer: once(() => ({ type: "application/json; charset=utf-8", body: JSON.stringify(document()) })) },
  ] as const;
}
