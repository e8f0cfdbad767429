import type { AssetManifest, ResultAsset } from "#contract/check-results.ts";
import type { FileOutput } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import type { BlobStore } from "../blob-store/blob-store.ts";
import type { StreamedFile } from "../http/handler.ts";
import { resultUuid } from "../kinds/ids.ts";
import type { CheckRow, ResultRow, StoredAsset } from "../storage/storage.ts";

/** The files of a result with where they can be had. @param base of links, without a slash at its end */
export function assetsView(check: CheckRow, row: ResultRow, base: string): ResultAsset[] {
  return assetsIn(`${base}/v1/check-results/${check.uuid}/${resultUuid(row)}/assets`, row);
}

/** The same for a result that has its files elsewhere. */
export function assetsIn(folder: string, row: Pick<ResultRow, "assets">): ResultAsset[] {
  return row.assets.map(({ type, name, contentType }) => ({ type, name, url: `${folder}/${name}`, contentType }));
}

/** The address of the packet capture, or null where there is none. */
export function pcapUrlOf(assets: readonly ResultAsset[]): string | null {
  return assets.find(({ type }) => type === "pcap")?.url ?? null;
}

/** A file for download. One from a blob store that is not used any more cannot be had. */
export function assetFile(asset: StoredAsset, blobs: Pick<BlobStore, "open"> | null): FileOutput | StreamedFile {
  if ("body" in asset) return asset;
  const { blob, ...file } = asset;
  if (blobs === null) throw new AppError("unavailable", "The file is in a store that ARTIFACT_STORE does not name any more");
  return { ...file, size: blob.size, open: (start, end) => blobs.open(blob.key, start, end) };
}

interface AssetFilter {
  readonly type?: readonly ResultAsset["type"][] | undefined;
  /** Part of a name or, with `*` or `?`, a pattern of the whole. */
  readonly name?: string | undefined;
}

/** All files of a result that the filter allows; there are never so many that some are left out. */
export function manifestOf(check: CheckRow, row: ResultRow, base: string, filter: AssetFilter): AssetManifest {
  const source = {
    type: "check-result",
    checkId: check.uuid,
    checkName: check.definition.name,
    checkType: check.type,
    resultId: resultUuid(row),
  } as const;
  return manifest(assetsView(check, row, base), source, filter);
}

/** @param source of all the files */
export function manifest(
  all: readonly ResultAsset[],
  source: AssetManifest["assets"][number]["source"],
  { type, name }: AssetFilter,
): AssetManifest {
  const assets = all
    .filter((asset) => (type === undefined || type.includes(asset.type)) && (name === undefined || matchesName(name, asset.name)))
    .map((asset) => ({ ...asset, source }));
  return { assets, truncated: false, entriesReturned: assets.length, entriesTotal: assets.length };
}

/** In any case of letters. Never slower than pattern times name: a `*` that fits is not reconsidered once a later one is reached. */
export function matchesName(pattern: string, name: string): boolean {
  const [wanted, given] = [pattern.toLowerCase(), name.toLowerCase()];
  if (!/[*?]/.test(wanted)) return given.includes(wanted);
  let [at, star, resume] = [0, -1, 0];
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === "*") [star, resume, at] = [at, index, at + 1];
    else if (at < wanted.length && (wanted[at] === "?" || wanted[at] === given[index])) [at, index] = [at + 1, index + 1];
    else if (star === -1) return false;
    else [at, resume, index] = [star + 1, resume + 1, resume + 1];
  }
  return /^\**$/.test(wanted.slice(at));
}
