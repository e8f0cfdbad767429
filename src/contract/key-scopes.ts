import { z } from "zod";
import type { Operation } from "./operation.ts";

/** What a scope may name: the areas of the API reference. `*` is all of them. */
export const scopeResources = [
  "accounts",
  "alert-channels",
  "alert-notifications",
  "analytics",
  "api-keys",
  "audit-log",
  "check-alerts",
  "check-groups",
  "check-results",
  "check-sessions",
  "check-statuses",
  "checks",
  "client-certificates",
  "code-bundles",
  "dashboards",
  "environment-variables",
  "error-groups",
  "heartbeats",
  "incidents",
  "maintenance-windows",
  "private-locations",
  "projects",
  "prometheus-export",
  "reporting",
  "snippets",
  "status-pages",
  "test-sessions",
  "triggers",
] as const;

/** Each one includes those before it. */
export const scopeActions = ["read", "run", "write"] as const;
export type ScopeAction = (typeof scopeActions)[number];

/** One thing that a limited key may do: `checks:read`, `triggers:run`, `*:read`. */
export const ApiKeyScope = z
  .string()
  .refine(isScope, {
    error: `must be resource:action; resources: *, ${scopeResources.join(", ")}; actions: ${scopeActions.join(", ")}`,
  })
  .meta({ examples: ["checks:read", "*:read"] });

function isScope(text: string): boolean {
  const [resource, action, ...rest] = text.split(":");
  const isKnown = resource === "*" || scopeResources.some((name) => name === resource);
  return isKnown && scopeActions.some((name) => name === action) && rest.length === 0;
}

/** What an operation asks of a key's scopes. */
export function scopeOf({ tag, method, access }: Pick<Operation, "tag" | "method" | "access">): {
  readonly resource: string;
  readonly action: ScopeAction;
} {
  const action = method === "GET" ? "read" : access === "run" ? "run" : "write";
  return { resource: tag.toLowerCase().replaceAll(" ", "-"), action };
}

/** Whether a key with these scopes may do it; null: the role alone decides. */
export function scopesAllow(scopes: readonly string[] | null, needed: ReturnType<typeof scopeOf>): boolean {
  if (scopes === null) return true;
  const rank = (action: string | undefined): number => scopeActions.findIndex((name) => name === action);
  return scopes.some((scope) => {
    const [resource, action] = scope.split(":");
    return (resource === "*" || resource === needed.resource) && rank(action) >= rank(needed.action);
  });
}
