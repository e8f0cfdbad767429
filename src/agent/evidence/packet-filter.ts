import { socketAddress } from "../net/icmp/socket-address.ts";
import { hasIPv6Form } from "../net/ip-address.ts";

export interface WantedPackets {
  /** Whose flows; null where none was dialled. */
  readonly address: string | null;
  readonly port: number;
  /** Whose DNS questions and answers; null for none. */
  readonly dnsName: string | null;
  /** Leaves out whatever is no header: the host's own name is a secret. */
  readonly headersOnly: boolean;
}

const tcp = 6;
const udp = 17;
const dnsPort = 53;

/**
 * Chooses the packets of an inquiry: the flows to the address and port, traceroute's probes to the address, ICMP errors that
 * quote either, and DNS messages about the name.
 *
 * @returns how many bytes of the packet (from its IP header on) to keep; 0 when it belongs to something else
 */
export function packetFilter(wanted: WantedPackets): (packet: Buffer) => number {
  const { port, headersOnly } = wanted;
  const address = wanted.address === null ? null : addressBytes(wanted.address);
  const name = wanted.dnsName === null || headersOnly ? null : wireName(wanted.dnsName);
  const isAt = (packet: Buffer, ip: IpHeader, at: number): boolean =>
    address !== null && ip.addressLength === address.length && packet.compare(address, 0, address.length, at, at + address.length) === 0;
  const touches = (packet: Buffer, ip: IpHeader): boolean => isAt(packet, ip, ip.sourceAt) || isAt(packet, ip, ip.destinationAt);

  function wantsUdp(packet: Buffer, ip: IpHeader): boolean {
    if (hasPort(packet, ip.transportAt, dnsPort)) return name !== null && mentions(packet, name);
    return touches(packet, ip);
  }

  function wantsIcmp(packet: Buffer, ip: IpHeader): boolean {
    const quoted = readIp(packet, ip.transportAt + 8);
    if (quoted === null) return touches(packet, ip);
    return isAt(packet, quoted, quoted.destinationAt) && (quoted.protocol !== tcp || hasPort(packet, quoted.transportAt, port));
  }

  return (packet) => {
    const ip = readIp(packet, 0);
    if (ip === null) return 0;
    if (ip.protocol === udp) return wantsUdp(packet, ip) ? packet.length : 0;
    if (ip.protocol !== tcp) return wantsIcmp(packet, ip) ? packet.length : 0;
    if (!hasPort(packet, ip.transportAt, port) || !touches(packet, ip)) return 0;
    return headersOnly ? tcpHeadersEnd(packet, ip.transportAt) : packet.length;
  };
}

interface IpHeader {
  readonly protocol: number;
  readonly addressLength: 4 | 16;
  readonly sourceAt: number;
  readonly destinationAt: number;
  readonly transportAt: number;
}

function readIp(packet: Buffer, at: number): IpHeader | null {
  const first = packet[at];
  if (first === undefined) return null;
  if (first >> 4 === 4 && packet.length >= at + 20) {
    return {
      protocol: packet.readUInt8(at + 9),
      addressLength: 4,
      sourceAt: at + 12,
      destinationAt: at + 16,
      transportAt: at + (first & 15) * 4,
    };
  }
  if (first >> 4 !== 6 || packet.length < at + 40) return null;
  return { protocol: packet.readUInt8(at + 6), addressLength: 16, sourceAt: at + 8, destinationAt: at + 24, transportAt: at + 40 };
}

/** As packets carry it: where it stands in a socket address. */
function addressBytes(address: string): Buffer {
  const bytes = socketAddress(address, 0);
  return hasIPv6Form(address) ? bytes.subarray(8, 24) : bytes.subarray(4, 8);
}

function hasPort(packet: Buffer, at: number, port: number): boolean {
  return packet.length >= at + 4 && (packet.readUInt16BE(at) === port || packet.readUInt16BE(at + 2) === port);
}

function tcpHeadersEnd(packet: Buffer, at: number): number {
  return packet.length <= at + 12 ? packet.length : Math.min(packet.length, at + (packet.readUInt8(at + 12) >> 4) * 4);
}

/** A name's labels as they stand in a message, without the root: search domains may follow. */
function wireName(host: string): string {
  const labels = host.toLowerCase().replace(/\.$/, "").split(".");
  return labels.map((label) => String.fromCharCode(label.length) + label).join("");
}

function mentions(packet: Buffer, name: string): boolean {
  return packet.toString("latin1").toLowerCase().includes(name);
}
