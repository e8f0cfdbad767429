// Prints where a release comes from, as an in-toto statement with SLSA provenance v1: what was made, by digest, from which commit and how.
//   node .ci/provenance.ts FOLDER VERSION SOURCE REVISION BUILDER PLATFORMS ENGINE ARGS…
// No time and no id of a run is in it, so that the same release gives the same statement.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Image {
  readonly name: string;
  readonly digest: string;
}

interface Resource {
  readonly name?: string;
  readonly uri?: string;
  readonly digest: Readonly<Record<string, string>>;
}

const [folder = "", version = "", source = "", revision = "", builder = "", platforms = "", engine = "", ...args] = process.argv.slice(2);
const images = JSON.parse(readFileSync(join(folder, "images.json"), "utf8")) as readonly Image[];

process.stdout.write(
  `${JSON.stringify(
    {
      _type: "https://in-toto.io/Statement/v1",
      subject: [...images.map(imageSubject), ...readdirSync(folder).toSorted().filter(isMade).map(fileIn(folder))],
      predicateType: "https://slsa.dev/provenance/v1",
      predicate: {
        buildDefinition: {
          buildType: "urn:outpost:release:1",
          externalParameters: { version, platforms: platforms.split(","), engine, arguments: args },
          resolvedDependencies: [
            { uri: source, digest: { gitCommit: revision } },
            ...["package-lock.json", ".ci/node.sha256", ".ci/node-archives.sha256"].map(fileIn(".")),
          ],
        },
        runDetails: { builder: { id: builder } },
      },
    },
    null,
    2,
  )}\n`,
);

function imageSubject({ name, digest }: Image): Resource {
  return { name, digest: { sha256: digest.replace(/^sha256:/, "") } };
}

function isMade(name: string): boolean {
  return /\.(oci\.tar|tgz|cdx\.json)$/.test(name);
}

function fileIn(where: string): (name: string) => Resource {
  return (name) => ({
    name,
    digest: {
      sha256: createHash("sha256")
        .update(readFileSync(join(where, name)))
        .digest("hex"),
    },
  });
}
