import type { ConnectionFacts } from "#contract/checks/connection.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { timeElement } from "../../../view/units.ts";
import type { Fact } from "../../facts.ts";

const texts = resultSeenTexts.connection;

/** The peer, and what its handshake showed. */
export function connectionFacts(connection: ConnectionFacts | null): readonly Fact[] {
  if (connection === null) return [];
  const { remoteAddress, remotePort, ipFamily, tls } = connection;
  const connected: Fact = [texts.connectedTo, texts.by(peerText(remoteAddress, remotePort), ipFamily)];
  if (tls === null) return [connected];
  return [
    connected,
    [texts.tls, `${tls.protocol} ${tls.cipher}`],
    [texts.certificate, tls.authorized ? stateLabel("ok", texts.trusted) : stateLabel("bad", tls.trustError ?? texts.notTrusted)],
    [texts.expires, expiryText(tls.daysRemaining)],
    [texts.validUntil, instantFact(tls.validTo)],
    [texts.sha256, tls.fingerprint256 && html`<code>${tls.fingerprint256}</code>`],
  ];
}

export function peerText(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

export function expiryText(days: number | null | undefined): string | null {
  if (days === null || days === undefined) return null;
  return days < 0 ? texts.expired(-days) : texts.expiresIn(days);
}

/** What targets give as a time may be none. */
export function instantFact(given: string | null): Fact[1] {
  const ms = given === null ? Number.NaN : Date.parse(given);
  return Number.isNaN(ms) ? given : timeElement(ms);
}
