import type { ApiKey } from "#contract/api-keys.ts";

const heads = ["ID", "KEY", "ROLE", "KIND", "CREATED", "LAST USED", "EXPIRES", "LIMITS", "NAME"] as const;

/** Keys for people at a terminal: one line each, columns as wide as they need to be, the name last as it can be long. */
export function keysTable(keys: readonly ApiKey[]): string {
  const rows = [heads, ...keys.map(rowOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function rowOf(key: ApiKey): readonly string[] {
  const limits = [...(key.scopes ?? []), ...(key.allowedNetworks ?? [])].join(",");
  const times = [minute(key.created_at), ...[key.lastUsedAt, key.expiresAt].map((at) => (at === null ? "never" : minute(at)))];
  return [key.id, key.maskedKey, key.role, key.kind, ...times, limits === "" ? "-" : limits, printable(key.name)];
}

/** `2026-01-31 12:00Z` */
function minute(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`;
}

/** A name may hold anything; nothing of it moves a terminal's cursor. */
function printable(name: string): string {
  return name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "�");
}
