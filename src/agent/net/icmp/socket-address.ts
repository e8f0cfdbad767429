import { hasIPv6Form, withoutZone } from "../ip-address.ts";
import { libc } from "../libc.ts";

export const AF_INET = 2;
export const AF_INET6 = 10;

/** The kernel's form of an address with its zone, and of a port: `sockaddr_in`, `sockaddr_in6`. */
export function socketAddress(address: string, port: number): Buffer {
  const isSix = hasIPv6Form(address);
  const bytes = Buffer.alloc(isSix ? 28 : 16);
  bytes.writeUInt16LE(isSix ? AF_INET6 : AF_INET, 0);
  bytes.writeUInt16BE(port, 2);
  const plain = withoutZone(address);
  libc().inet_pton(isSix ? AF_INET6 : AF_INET, plain, addressBytes(bytes));
  if (isSix && plain !== address) bytes.writeUInt32LE(interfaceNumber(address.slice(plain.length + 1)), 24);
  return bytes;
}

function addressBytes(bytes: Buffer): Buffer {
  return bytes.readUInt16LE(0) === AF_INET ? bytes.subarray(4, 8) : bytes.subarray(8, 24);
}

/** Whether two socket addresses have the same address, whatever their ports and zones. */
export function isSameAddress(one: Buffer, other: Buffer): boolean {
  const family = one.readUInt16LE(0);
  if (family !== other.readUInt16LE(0)) return false;
  const [start, end] = family === AF_INET ? [4, 8] : [8, 24];
  return one.compare(other, start, end, start, end) === 0;
}

/** The address as text, or null where the kernel wrote none. */
export function addressText(bytes: Buffer): string | null {
  const family = bytes.readUInt16LE(0);
  if (family !== AF_INET && (family !== AF_INET6 || bytes.length < 24)) return null;
  const text = Buffer.alloc(46);
  libc().inet_ntop(family, addressBytes(bytes), text, text.length);
  return text.toString("latin1", 0, text.indexOf(0));
}

function interfaceNumber(zone: string): number {
  return /^\d+$/.test(zone) ? Number(zone) : libc().if_nametoindex(zone);
}
