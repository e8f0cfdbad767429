import { join } from "node:path";
import type { ProxySettings } from "#daemon/proxy.ts";
import type { BlobStore } from "./blob-store.ts";
import { createFolderStore } from "./folder-store.ts";
import type { S3Settings } from "./s3-client.ts";
import { createS3Store } from "./s3-store.ts";

/** Where files of results are kept. */
export type ArtifactStoreSettings =
  | { readonly kind: "off" }
  | { readonly kind: "folder" }
  | { readonly kind: "s3"; readonly s3: S3Settings };

export interface BlobStoreSettings {
  readonly artifactStore: ArtifactStoreSettings;
  readonly dataDir: string;
  readonly proxies: ProxySettings;
}

/** Null where none are kept. */
export function openBlobStore({ artifactStore, dataDir, proxies }: BlobStoreSettings, nowMs: () => number): BlobStore | null {
  switch (artifactStore.kind) {
    case "off":
      return null;
    case "folder":
      return createFolderStore(join(dataDir, "blobs"));
    case "s3":
      return createS3Store(artifactStore.s3, proxies, nowMs);
  }
}
