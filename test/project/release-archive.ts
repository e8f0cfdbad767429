import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Described {
  readonly digest: string;
  readonly size: number;
  readonly mediaType?: string;
}

interface Manifest {
  readonly manifests?: readonly Described[];
  readonly layers?: readonly Described[];
}

/** How the layers of each platform in an OCI archive are packed: the end of their media types. Each blob has the size that is told of it. */
export function packingOf(archive: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "archive-"));
  try {
    execFileSync("tar", ["-xmf", archive, "-C", folder]);
    const read = (path: string): Manifest => JSON.parse(readFileSync(join(folder, path), "utf8")) as Manifest;
    const blob = ({ digest, size }: Described): string => {
      const path = `blobs/sha256/${digest.replace("sha256:", "")}`;
      if (readFileSync(join(folder, path)).length !== size) throw new Error(`${archive}: ${digest} has another size`);
      return path;
    };
    const layersOf = (each: Described): readonly Described[] => {
      const { manifests, layers } = read(blob(each));
      return layers ?? (manifests ?? []).flatMap(layersOf);
    };
    const layers = (read("index.json").manifests ?? []).flatMap(layersOf);
    return layers.map((layer) => (blob(layer), layer.mediaType?.replace(/^.*[.+]/, "") ?? ""));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a file of an archive's image is once an engine has unpacked it. */
export function fileOf(archive: string, path: string, env: NodeJS.ProcessEnv): string {
  const buildah = (...args: string[]): string => execFileSync("buildah", args, { env, encoding: "utf8", stdio: "pipe" }).trim();
  const container = buildah("from", `oci-archive:${archive}`);
  try {
    return readFileSync(join(buildah("mount", container), path), "utf8");
  } finally {
    buildah("rm", container);
  }
}
