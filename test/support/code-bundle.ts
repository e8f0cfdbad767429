import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { Header, type HeaderData } from "tar";

export type BundleMember = HeaderData & { readonly path: string; readonly body?: string | Buffer };

/** A tar as it is written here, hostile ones included: headers say what they are told to. */
export function tarOf(members: readonly BundleMember[]): Buffer {
  const blocks = members.flatMap(({ body = "", ...header }) => {
    const bytes = Buffer.from(body);
    const block = Buffer.alloc(512);
    new Header({ type: "File", mode: 0o644, size: bytes.length, mtime: new Date(0), ...header }).encode(block);
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export function bundleOf(members: readonly BundleMember[]): Buffer {
  return gzipSync(tarOf(members));
}

export const sha256Of = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
