import type { ResourceType } from "#contract/projects.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";

/** What each field that names an object names. */
const typeAt: Readonly<Record<string, ResourceType>> = {
  groupId: "check-group",
  checkId: "check",
  alertChannelId: "alert-channel",
  privateLocationId: "private-location",
  serviceId: "status-page-service",
  services: "status-page-service",
  statusPageId: "status-page",
  parentId: "status-page-component",
  componentId: "status-page-component",
};

export type IdOf = (type: ResourceType, logicalId: string) => string | number | undefined;

/**
 * A payload with ids where it has references: `{"ref": "shop"}`.
 *
 * @throws {AppError} invalid_input naming each one that names nothing of the project
 */
export function withIds<T>(payload: T, idOf: IdOf): T {
  const problems: InputProblem[] = [];
  const resolved = resolve(payload, { path: "", field: "" }, idOf, problems);
  if (problems.length > 0) throw invalidInput(problems);
  return resolved as T;
}

interface Place {
  readonly path: string;
  /** The nearest name above. */
  readonly field: string;
}

function resolve(value: unknown, { path, field }: Place, idOf: IdOf, problems: InputProblem[]): unknown {
  if (Array.isArray(value)) return value.map((one, index) => resolve(one, { path: `${path}[${index}]`, field }, idOf, problems));
  if (typeof value !== "object" || value === null) return value;
  const logicalId = referenceIn(value);
  const type = typeAt[field];
  if (logicalId !== undefined && type !== undefined) {
    const id = idOf(type, logicalId) ?? (field === "services" ? idOf("status-page-component", logicalId) : undefined);
    if (id === undefined) problems.push({ path, message: `refers to no ${type} of the project; received "${logicalId}"` });
    return field === "services" ? { id } : id;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      resolve(inner, { path: path === "" ? name : `${path}.${name}`, field: name }, idOf, problems),
    ]),
  );
}

/** The name in `{"ref": name}`, whatever else is in it; undefined for anything else. */
export function referenceIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("ref" in value)) return undefined;
  return typeof value.ref === "string" ? value.ref : undefined;
}
