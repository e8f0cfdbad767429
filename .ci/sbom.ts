// Prints the software bill of materials of an image or of the program, CycloneDX 1.6; the same arguments give the same bytes.
//   node .ci/sbom.ts --name outpost/agent [--lock package-lock.json] [--only names.txt] [--debian list.txt --distro debian-12] [--node 26.10.0] [--epoch seconds]
// list.txt: dpkg-query -W -f '${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\n' <packages>
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { cycloneDx } from "./cyclonedx.ts";

const option = { type: "string" } as const;
try {
  const { values } = parseArgs({
    options: { name: option, lock: option, only: option, debian: option, distro: option, node: option, epoch: option },
  });
  const epoch = values.epoch || undefined; // SOURCE_DATE_EPOCH, which may be empty
  if (epoch !== undefined && !/^\d+$/.test(epoch)) throw new Error(`--epoch must be seconds since 1970, not "${epoch}".`);
  const text = (path: string | undefined): string | undefined => (path === undefined ? undefined : readFileSync(path, "utf8"));
  const document = cycloneDx({
    name: values.name ?? "outpost",
    lock: readFileSync(values.lock ?? "package-lock.json", "utf8"),
    only: values.only === undefined ? undefined : new Set(text(values.only)?.split(/\s+/)),
    debian: text(values.debian),
    distro: values.distro,
    node: values.node,
    epoch: epoch === undefined ? undefined : Number(epoch),
  });
  process.stdout.write(`${JSON.stringify(document, null, 1)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
