import {
  bundleChecksumHeader,
  type CodeBundle,
  codeBundleLimits,
  createCodeBundle,
  listCodeBundles,
  peekCodeBundle,
  uploadCodeBundle,
} from "#contract/code-bundles.ts";
import { AppError } from "#domain/app-error.ts";
import { type BundleUploads, tooLarge } from "../code-bundles/bundle-uploads.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import { instant } from "../kinds/instants.ts";
import type { CodeBundleRow, CodeBundleStore } from "../storage/storage.ts";

export interface CodeBundleDeps {
  readonly codeBundles: Pick<CodeBundleStore, "find" | "list">;
  /** Null where no large files are kept. */
  readonly bundleUploads: Pick<BundleUploads, "take"> | null;
  readonly nowMs: () => number;
}

/** Projects of tests that Playwright checks run. */
export function codeBundleHandlers({ codeBundles, bundleUploads, nowMs }: CodeBundleDeps): readonly Handler[] {
  const taking = ({ header }: Pick<CallContext, "header">): Pick<BundleUploads, "take"> => {
    if (Number(header("content-length") ?? 0) > codeBundleLimits.packedBytes) throw tooLarge();
    if (bundleUploads === null) throw new AppError("conflict", "this control plane keeps no code bundles: ARTIFACT_STORE is off");
    return bundleUploads;
  };
  return [
    handler(createCodeBundle, async ({ query: { sha256 }, body }, { caller, signal, ...request }) =>
      bundleView(await taking(request).take(caller.account.id, body, sha256 ?? null, signal)),
    ),
    handler(listCodeBundles, async ({ query: { page, limit } }, { caller }) => {
      const { items, total } = await codeBundles.list(caller.account.id, { limit, offset: (page - 1) * limit });
      return { items: items.map(bundleView), total };
    }),
    handler(uploadCodeBundle, async ({ body }, { caller, signal, ...request }) =>
      storedView(await taking(request).take(caller.account.id, body, digestIn(request.header(bundleChecksumHeader)), signal)),
    ),
    handler(peekCodeBundle, async ({ body: { key } }, { caller }) => {
      const sha256 = /^([0-9a-f]{64})\.tar\.gz$/.exec(key)?.[1];
      const found = sha256 === undefined ? undefined : await codeBundles.find(caller.account.id, sha256, nowMs());
      if (found === undefined) throw new AppError("not_found", "There is no such code bundle; upload it again");
      return storedView(found);
    }),
  ];
}

/** Hexadecimal of what clients write in either form. @throws {AppError} invalid_input */
function digestIn(header: string | undefined): string | null {
  if (header === undefined || header === "") return null;
  if (/^[0-9a-f]{64}$/i.test(header)) return header.toLowerCase();
  if (/^[A-Za-z0-9+/]{43}=$/.test(header)) return Buffer.from(header, "base64").toString("hex");
  throw new AppError("invalid_input", `${bundleChecksumHeader} must be a SHA-256, as 64 hexadecimal digits or in base64`);
}

function keyOf({ sha256 }: CodeBundleRow): string {
  return `${sha256}.tar.gz`;
}

function bundleView(row: CodeBundleRow): CodeBundle {
  const { sha256, size: bytes, unpackedSize: unpackedBytes, files, storedAtMs, usedAtMs } = row;
  return { key: keyOf(row), sha256, bytes, unpackedBytes, files, createdAt: instant(storedAtMs), lastUsedAt: instant(usedAtMs) };
}

function storedView(row: CodeBundleRow) {
  return { key: keyOf(row), lastModified: instant(row.storedAtMs), contentLength: row.size, checksumSha256: row.sha256 };
}
