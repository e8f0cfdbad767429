import { Cursor } from "./cursor.ts";

/** What a client begins TLS with. */
export interface ClientHello {
  /** By their numbers. */
  readonly versions: readonly number[];
  readonly serverName: string | null;
  /** Of ALPN; null without it. */
  readonly protocols: readonly string[] | null;
  readonly ciphers: number;
}

/** @param body the message without its type and length @throws {RangeError} where it is cut short */
export function readClientHello(body: Buffer): ClientHello {
  const hello = new Cursor(body);
  const version = hello.number(2);
  hello.bytes(32);
  hello.vector(1);
  const ciphers = hello.vector(2).length / 2;
  hello.vector(1);
  const extensions = extensionsIn(hello);
  const [name, versions, protocols] = [0, 43, 16].map((number) => extensions.get(number));
  return {
    versions: versions === undefined ? [version] : versionsIn(new Cursor(versions).vector(1)),
    serverName: name?.subarray(5).toString("latin1") ?? null,
    protocols: protocols === undefined ? null : alpnIn(protocols),
    ciphers,
  };
}

/** Of a hello, by their numbers. @throws {RangeError} */
export function extensionsIn(hello: Cursor): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>();
  if (hello.isAtEnd) return found;
  const list = new Cursor(hello.vector(2));
  while (!list.isAtEnd) found.set(list.number(2), list.vector(2));
  return found;
}

/** Names of protocols. @throws {RangeError} */
export function alpnIn(extension: Buffer): string[] {
  const list = new Cursor(new Cursor(extension).vector(2));
  const names: string[] = [];
  while (!list.isAtEnd)
    names.push(
      list
        .vector(1)
        .toString("latin1")
        .replace(/[^!-~]/g, "?"),
    ); // a server's may hold anything
  return names;
}

function versionsIn(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readUInt16BE(2 * index));
}
