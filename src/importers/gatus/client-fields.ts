import { durationMs } from "../durations.ts";
import type { Importing } from "../imported.ts";
import { fieldsOf, otherFields } from "../yaml-text.ts";
import type { Endpoint } from "./endpoint.ts";

/** What the `client` of an endpoint says of how it is reached. */
export interface ClientFields {
  readonly followRedirects: boolean;
  readonly skipSSL: boolean;
  readonly ipFamily?: "IPv4" | "IPv6";
  readonly timeoutMs: number | undefined;
}

/** What an endpoint's `client` says; settings that no check has are left out with a warning. */
export function clientFields(importing: Importing, { settings, where }: Endpoint): ClientFields {
  const client = fieldsOf(settings["client"]);
  for (const field of otherFields(client, ["insecure", "ignore-redirect", "timeout", "network"])) {
    importing.warn(`${where}.client.${field}`, "left out: no check has such a setting");
  }
  const families: Readonly<Record<string, "IPv4" | "IPv6">> = { ip4: "IPv4", ip6: "IPv6" };
  const ipFamily = families[String(client["network"])];
  return {
    followRedirects: client["ignore-redirect"] !== true,
    skipSSL: client["insecure"] === true,
    ...(ipFamily && { ipFamily }),
    timeoutMs: durationMs(client["timeout"]),
  };
}
