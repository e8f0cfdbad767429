import type { Importing } from "../imported.ts";
import type { Fields } from "../yaml-text.ts";
import type { Condition } from "./conditions.ts";

/** An endpoint as the checks of its type are made of it. */
export interface Endpoint {
  readonly where: string;
  readonly settings: Fields;
  readonly url: string;
  readonly conditions: readonly Condition[];
}

/** A check of an endpoint, without what all checks of it share. */
export interface EndpointCheck {
  readonly checkType: "API" | "TCP" | "DNS" | "ICMP" | "SSL";
  readonly request: object;
  /** What tells it from the other checks of the endpoint. */
  readonly nameSuffix?: string;
  readonly [field: string]: unknown;
}

export type EndpointReader = (importing: Importing, endpoint: Endpoint) => readonly EndpointCheck[];

/** Tells that no assertion says this. */
export function tellInexpressible(importing: Importing, { where, placeholder }: Condition): void {
  importing.warn(where, `left out: no assertion of this check type says this of [${placeholder}]`);
}

/** `[CONNECTED] == true`: a check that does not reach its target fails in any case. */
export function isConnected({ placeholder, operator, wanted }: Condition): boolean {
  return placeholder === "CONNECTED" && operator === "==" && wanted.kind === "text" && wanted.text === "true";
}

/** The opposite. */
export function isUnreachable({ placeholder, operator, wanted }: Condition): boolean {
  if (placeholder !== "CONNECTED" || wanted.kind !== "text") return false;
  return (operator === "==" && wanted.text === "false") || (operator === "!=" && wanted.text === "true");
}
