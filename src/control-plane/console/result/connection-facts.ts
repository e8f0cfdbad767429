import type { ConnectionFacts } from "#contract/checks/connection.ts";
import { html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { timeElement } from "../../pages/public/units.ts";
import type { Fact } from "./facts.ts";

/** The peer, and what its handshake showed. */
export function connectionFacts(connection: ConnectionFacts | null): readonly Fact[] {
  if (connection === null) return [];
  const { remoteAddress, remotePort, ipFamily, tls } = connection;
  const connected: Fact = ["Connected to", `${peerText(remoteAddress, remotePort)}, ${ipFamily}`];
  if (tls === null) return [connected];
  return [
    connected,
    ["TLS", `${tls.protocol} ${tls.cipher}`],
    ["Certificate", tls.authorized ? stateLabel("ok", "trusted") : stateLabel("bad", tls.trustError ?? "not trusted")],
    ["Expires", expiryText(tls.daysRemaining)],
    ["Valid until", instantFact(tls.validTo)],
    ["SHA-256", tls.fingerprint256 && html`<code>${tls.fingerprint256}</code>`],
  ];
}

export function peerText(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

export function expiryText(days: number | null | undefined): string | null {
  if (days === null || days === undefined) return null;
  return days < 0 ? `expired ${-days} days ago` : `in ${days} days`;
}

/** What targets give as a time may be none. */
export function instantFact(given: string | null): Fact[1] {
  const ms = given === null ? Number.NaN : Date.parse(given);
  return Number.isNaN(ms) ? given : timeElement(ms);
}
