import type { BlobStore } from "../blob-store/blob-store.ts";
import { type BundleUploadDeps, BundleUploads } from "../code-bundles/bundle-uploads.ts";
import type { Handler } from "../http/handler.ts";
import { type ResourceDeps, resourceHandlers } from "./index.ts";

type RestDeps = Omit<ResourceDeps, "pingBase" | "senders" | "forgetKey" | "bundleUploads"> &
  Omit<BundleUploadDeps, "bundles" | "blobs"> & {
    readonly blobs: BlobStore | null;
    /** What ping URLs begin with; null: the control plane's own address. */
    readonly pingUrl: string | null;
    readonly channels: Pick<ResourceDeps, "senders">;
    readonly knownKeys: { readonly forget: ResourceDeps["forgetKey"] };
  };

/** The REST API over the parts of a control plane. */
export function restHandlers({ channels, knownKeys, pingUrl, ...deps }: RestDeps): readonly Handler[] {
  const { blobs, storage } = deps;
  const pingBase = (): string => pingUrl ?? `${deps.publicUrl()}/ping`;
  const bundleUploads = blobs === null ? null : new BundleUploads({ ...deps, bundles: storage.codeBundles, blobs });
  return resourceHandlers({ ...deps, bundleUploads, pingBase, senders: channels.senders, forgetKey: knownKeys.forget });
}
