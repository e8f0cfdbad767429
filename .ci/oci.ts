// Looks into OCI image layouts, for `.ci/release`:
//   node .ci/oci.ts platforms LAYOUT           the digest of the whole, then a line a platform: "linux/amd64 sha256:…"
//   node .ci/oci.ts file LAYOUT DIGEST PATH    a file of the image with this manifest, from the topmost layer that has it
//   node .ci/oci.ts name LAYOUT NAME           the name under which engines load it, whichever engine made the layout
//   node .ci/oci.ts zstd LAYOUT                its layers packed by zstd in place of gzip: a fifth smaller, for engines of 2021 and later
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createZstdCompress } from "node:zlib";

interface Descriptor {
  readonly digest: string;
  readonly mediaType?: string;
  readonly size?: number;
  readonly platform?: { readonly os: string; readonly architecture: string; readonly variant?: string };
}

interface Manifest {
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
}

const gzipLayer = "application/vnd.oci.image.layer.v1.tar+gzip";
const [command, layout = "", ...words] = process.argv.slice(2);
try {
  if (command === "platforms") process.stdout.write(`${platforms().join("\n")}\n`);
  else if (command === "file") process.stdout.write(file(words[0] ?? "", words[1] ?? ""));
  else if (command === "name") setName(words[0] ?? "");
  else if (command === "zstd") await packByZstd();
  else throw new Error(`oci.ts knows platforms, file, name and zstd, not "${command ?? ""}".`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function platforms(): string[] {
  const image = onlyImage();
  const { manifests } = blob(image.digest);
  return [image.digest, ...(manifests ?? [image]).map((each) => `${platformOf(each)} ${each.digest}`)];
}

/** docker, podman and containerd read the same annotation. */
function setName(name: string): void {
  const image = onlyImage();
  const annotations = { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": name.slice(name.lastIndexOf(":") + 1) };
  const index = { schemaVersion: 2, manifests: [{ ...image, annotations }] };
  writeFileSync(join(layout, "index.json"), JSON.stringify(index));
}

/** Configurations stay as they are: they name what layers unpack to. */
async function packByZstd(): Promise<void> {
  const index = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as Manifest;
  const old = new Set<string>();
  const packed = new Map<string, Descriptor>(); // platforms may share a layer
  const repacked = async (each: Descriptor): Promise<Descriptor> => {
    const { manifests, layers, ...others } = blob(each.digest);
    if (layers?.every(({ mediaType }) => mediaType !== gzipLayer)) return each;
    old.add(each.digest);
    if (manifests !== undefined) return put(each, { ...others, manifests: await inTurn(manifests, repacked) });
    return put(each, { ...others, layers: await inTurn(layers ?? [], layerByZstd) });
  };
  const layerByZstd = async (each: Descriptor): Promise<Descriptor> => {
    const known = packed.get(each.digest);
    if (known !== undefined || each.mediaType !== gzipLayer) return known ?? each;
    const made = { ...each, mediaType: "application/vnd.oci.image.layer.v1.tar+zstd", ...(await zstdOf(each)) };
    packed.set(each.digest, made);
    old.add(each.digest);
    return made;
  };
  const manifests = await inTurn(index.manifests ?? [], repacked);
  if (packed.size === 0) throw new Error(`${layout} has no layer that gzip packed.`);
  writeFileSync(join(layout, "index.json"), JSON.stringify({ ...index, manifests }));
  for (const digest of old) rmSync(blobPath(digest));
}

async function zstdOf({ digest }: Descriptor): Promise<Pick<Required<Descriptor>, "digest" | "size">> {
  const draft = join(layout, "blobs/sha256/draft");
  const hash = createHash("sha256");
  const level = { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 };
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(createReadStream(blobPath(digest)), createGunzip(), createZstdCompress({ params: level }), hashed, createWriteStream(draft));
  const made = { digest: `sha256:${hash.digest("hex")}`, size: statSync(draft).size };
  renameSync(draft, blobPath(made.digest));
  return made;
}

/** A manifest in place of another. */
function put(each: Descriptor, manifest: Manifest): Descriptor {
  const bytes = Buffer.from(JSON.stringify(manifest));
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  writeFileSync(blobPath(digest), bytes);
  return { ...each, digest, size: bytes.length };
}

async function inTurn<T>(all: readonly T[], change: (each: T) => Promise<T>): Promise<T[]> {
  const changed: T[] = [];
  for (const each of all) changed.push(await change(each));
  return changed;
}

function onlyImage(): Descriptor {
  const [image, ...others] = (JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as Manifest).manifests ?? [];
  if (image === undefined || others.length > 0) throw new Error(`${layout} must hold one image.`);
  return image;
}

/** An index tells it; where there is a manifest only, its configuration does. */
function platformOf({ digest: of, platform }: Descriptor): string {
  const { os, architecture, variant } = platform ?? (blob(blob(of).config?.digest ?? "") as NonNullable<Descriptor["platform"]>);
  return [os, architecture, ...(variant === undefined || variant === "v8" ? [] : [variant])].join("/");
}

function file(digest: string, path: string): Buffer {
  for (const { digest: layer } of (blob(digest).layers ?? []).toReversed()) {
    const names = tar("-tf", blobPath(layer)).toString().split("\n");
    const name = names.find((entry) => entry.replace(/^\.?\//, "") === path);
    if (name !== undefined) return tar("-xOf", blobPath(layer), name);
  }
  throw new Error(`The image ${digest} has no file /${path}.`);
}

function tar(...args: string[]): Buffer {
  return execFileSync("tar", args, { maxBuffer: 256 << 20 });
}

function blobPath(of: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(of)) throw new Error(`${layout}: "${of}" is no digest.`);
  return join(layout, "blobs/sha256", of.slice("sha256:".length));
}

function blob(of: string): Manifest {
  return JSON.parse(readFileSync(blobPath(of), "utf8")) as Manifest;
}
