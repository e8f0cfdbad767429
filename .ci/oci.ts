// Looks into OCI image layouts, for `.ci/release`:
//   node .ci/oci.ts platforms LAYOUT           the digest of the whole, then a line a platform: "linux/amd64 sha256:…"
//   node .ci/oci.ts file LAYOUT DIGEST PATH    a file of the image with this manifest, from the topmost layer that has it
//   node .ci/oci.ts name LAYOUT NAME           the name under which engines load it, whichever engine made the layout
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Descriptor {
  readonly digest: string;
  readonly mediaType?: string;
  readonly platform?: { readonly os: string; readonly architecture: string; readonly variant?: string };
}

interface Manifest {
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
}

const [command, layout = "", ...words] = process.argv.slice(2);
try {
  if (command === "platforms") process.stdout.write(`${platforms().join("\n")}\n`);
  else if (command === "file") process.stdout.write(file(words[0] ?? "", words[1] ?? ""));
  else if (command === "name") setName(words[0] ?? "");
  else throw new Error(`oci.ts knows platforms, file and name, not "${command ?? ""}".`);
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
