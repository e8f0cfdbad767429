import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toolsFolder } from "../chart-tools.ts";

const ci = join(import.meta.dirname, "../../../.ci");

/** Folder of what `.ci/kubernetes-node` builds: the same rule as there. */
export const programsFolder = join(toolsFolder(), `kubernetes-node-${key()}`);

function key(): string {
  const hash = createHash("sha256");
  for (const file of ["kubernetes-node.versions", "kubernetes-node"]) hash.update(readFileSync(join(ci, file)));
  return hash.digest("hex").slice(0, 12);
}
