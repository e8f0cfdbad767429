import type { AssertionSource } from "#contract/checks/assertion.ts";
import type { AssertionDraft, Importing } from "../imported.ts";
import { type Fields, fieldsOf, otherFields } from "../yaml-text.ts";
import type { ProbeModule } from "./prober.ts";

/** Tells which settings of a module no check has. */
export function tellOthers(importing: Importing, { where, settings }: ProbeModule, known: readonly string[]): void {
  for (const field of otherFields(settings, known)) importing.warn(`${where}.${field}`, "left out: no check has such a setting");
}

/** Trust of certificates; the rest of `tls_config` is configured elsewhere. */
export function tlsFields(importing: Importing, { where, settings }: ProbeModule): { readonly skipSSL?: boolean } {
  const given = fieldsOf(settings["tls_config"]);
  for (const field of otherFields(given, ["insecure_skip_verify"])) {
    importing.warn(
      `${where}.tls_config.${field}`,
      "left out: authorities are known to the agent, client certificates are configured by host",
    );
  }
  return given["insecure_skip_verify"] === true ? { skipSSL: true } : {};
}

/** A family only where the module prefers one in so many words. */
export function ipFamilyOf(settings: Fields): { readonly ipFamily?: "IPv4" | "IPv6" } {
  const preferred = settings["preferred_ip_protocol"];
  if (preferred === "ip6") return { ipFamily: "IPv6" };
  return preferred === "ip4" ? { ipFamily: "IPv4" } : {};
}

/** Whether the text matches. The whole pattern is one group, so that a match counts even where a group inside matched nothing. */
export function matches(source: AssertionSource, regexp: string, wanted: boolean): AssertionDraft {
  return { source, property: `(${regexp})`, comparison: wanted ? "NOT_NULL" : "IS_NULL" };
}

/** `host:port`, `[::1]:53` or `host`; undefined for what is neither. */
export function hostAndPort(target: string): { readonly host: string; readonly port?: number } | undefined {
  const parts = /^(?:\[([^\]]+)\]|([^:/\s]+))(?::(\d{1,5}))?$/.exec(target) ?? /^()([0-9a-f:]+:[0-9a-f:]*)$/i.exec(target);
  const host = parts?.[1] || parts?.[2];
  if (!host) return undefined;
  return parts?.[3] === undefined ? { host } : { host, port: Number(parts[3]) };
}
