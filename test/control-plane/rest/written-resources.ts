import { checkWrites, deleteCheck, getCheckV1 } from "#contract/checks/operations.ts";
import { type KindInContract, kinds, objectParameter } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";
import type { Known, Variant } from "../body-values.ts";
import type { ExampleWorld } from "../example-world.ts";

/** Something of which tests write each field. */
export interface Resource {
  readonly name: string;
  readonly create: Operation;
  readonly find: Operation;
  readonly update: Operation | undefined;
  readonly remove: Operation | undefined;
  readonly idField: string;
}

/** Every kind, and each type of checks. */
export const resources: readonly Resource[] = [
  ...Object.entries(kinds).flatMap(([name, { operations, idField }]: [string, KindInContract]) => {
    const { create, find, update, remove } = operations;
    return create === undefined || find === undefined || name === "check" ? [] : [{ name, create, find, update, remove, idField }];
  }),
  ...Object.entries(checkWrites).map(([type, writes]) => ({
    name: `${type} check`,
    ...writes,
    find: getCheckV1,
    remove: deleteCheck,
    idField: "id",
  })),
];

/** What the installation or the account has once gets another name than in the world of examples. */
export const fresh: Readonly<Record<string, object>> = {
  "private-location": { slugName: "written" },
  variable: { key: "WRITTEN" },
  dashboard: { customUrl: "written", customDomain: "written.example.com" },
  "status-page": { url: "written", customDomain: "written-page.example.com" },
};
/** Fields that every check has are tried on one type. */
const commonFields = new Set(Object.keys(checkWrites.API.create.body.shape).filter((field) => field !== "request"));

export function isTriedElsewhere({ name }: Resource, { path: [first = ""] }: Variant): boolean {
  return name.endsWith(" check") && name !== "API check" && commonFields.has(String(first));
}

/** The address of an object. */
export function at({ path }: Operation, id: string | number): string {
  return path.replace(`{${objectParameter({ path }) ?? ""}}`, encodeURIComponent(id));
}

export function knownIn({ made }: ExampleWorld): Known {
  const idOf = (operation: string, field = "id"): unknown => made.get(operation)?.body[field];
  const [service, snippet] = [idOf("createStatusPageService"), idOf("createSnippet")];
  return {
    testCommand: "pnpm exec playwright test --grep=a",
    alertChannelId: idOf("createAlertChannel"),
    groupId: idOf("createCheckGroupV2"),
    serviceId: service,
    serviceIds: service,
    statusPageIds: idOf("createStatusPage"),
    setupSnippetId: snippet,
    tearDownSnippetId: snippet,
    sslClientCertificateId: idOf("createClientCertificate"),
    privateLocations: idOf("createPrivateLocation", "slugName"),
  };
}
