import { readdirSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** In a checkout the documents are where they are written; the build has put them beside this module. */
export const guideFolder = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../../../" : "./guide", import.meta.url));

const topDocuments = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
const text = "text/plain; charset=utf-8";

/** What files of the guide are sent as, by the ending of their names: documents become pages, samples are shown as they are. */
export const guideFileTypes: Readonly<Record<string, string>> = {
  ".md": "text/html; charset=utf-8",
  ".png": "image/png",
  ".yaml": text,
  ".conf": text,
  ".cfg": text,
  ".service": text,
  "": text,
};

/** Paths of what the guide is made of, from the repository's top, where `folder` is that or has the same files. */
export function guideFiles(folder: string): readonly string[] {
  const docs = readdirSync(join(folder, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in guideFileTypes)
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const charts = ["agent", "control-plane"].map((chart) => `charts/${chart}/README.md`);
  return [...topDocuments, ...docs, ...charts, "bench/README.md", "compose.yaml"];
}
