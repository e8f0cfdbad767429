import { isIP } from "node:net";
import { peerName } from "../connection.ts";
import { withoutBrackets } from "../ip-address.ts";
import type { TlsDemand } from "../tls.ts";

export type DnsTransport = "UDP" | "TCP" | "DOT" | "DOH";

interface PlainServer {
  readonly transport: "UDP" | "TCP";
  readonly address: string;
  readonly port: number;
}

/** `host` is what its certificate must name. */
export type EncryptedServer = { readonly address: string; readonly port: number; readonly host: string; readonly tls: TlsDemand } & (
  | { readonly transport: "DOT" }
  | { readonly transport: "DOH"; readonly path: string; readonly userAgent: string }
);

/** Where a question goes, and how. */
export type NameServer = PlainServer | EncryptedServer;

/** `10.0.0.1`, `10.0.0.1:5353`, `::1`, `[::1]:5353`. */
export function plainServer(text: string, transport: "UDP" | "TCP"): PlainServer {
  if (isIP(text) !== 0) return { transport, address: text, port: 53 };
  const colon = text.lastIndexOf(":");
  return { transport, address: withoutBrackets(text.slice(0, colon)), port: Number(text.slice(colon + 1)) };
}

/** For messages and results: `10.0.0.1:53`. */
export function serverName({ address, port }: Pick<NameServer, "address" | "port">): string {
  return peerName(address, port);
}
