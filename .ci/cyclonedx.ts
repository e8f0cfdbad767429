/** What is in an image, as far as its software bill of materials tells. */
export interface Parts {
  /** Of the image or the program. */
  readonly name: string;
  /** Text of package-lock.json. */
  readonly lock: string;
  /** Names of packages, where not all of the lock are inside; those they need are not added. */
  readonly only?: ReadonlySet<string> | undefined;
  /** One line a Debian package: `name version architecture [source [source version]]`. */
  readonly debian?: string | undefined;
  /** Like `debian-12`; vulnerability databases are per release. */
  readonly distro?: string | undefined;
  /** Version of Node.js, where it is inside. */
  readonly node?: string | undefined;
  /** Seconds (SOURCE_DATE_EPOCH). */
  readonly epoch?: number | undefined;
}

/** A CycloneDX 1.6 document. The same parts give the same bytes: no serial number, no time but that of the source. */
export function cycloneDx({ name, lock, only, debian = "", distro, node, epoch }: Parts): object {
  const { root, packages } = installed(lock);
  const inside = packages.filter((entry) => only === undefined || only.has(entry.name));
  const components = [
    ...unique(inside.map(npmComponent)),
    ...debianPackages(debian).map((entry) => debianComponent(entry, distro)),
    ...(node === undefined ? [] : [nodeComponent(node)]),
  ].toSorted(byRef);
  const purl = `pkg:generic/${name.split("/").map(encodeURIComponent).join("/")}@${root.version}`;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      ...(epoch !== undefined && { timestamp: new Date(epoch * 1000).toISOString() }),
      component: { type: "application", "bom-ref": purl, name, version: root.version, purl, ...licensed(root.license) },
    },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map((component) => component["bom-ref"]) }],
  };
}

interface LockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  readonly integrity: string | undefined;
}

interface Component {
  readonly type: "library" | "platform";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly cpe?: string;
  readonly hashes?: readonly object[];
  readonly licenses?: readonly object[];
}

/** What `npm ci --omit=dev --omit=optional` would put there. Our optional packages are Node.js itself: images say it by `node`. */
function installed(lock: string): { readonly root: NpmPackage; readonly packages: readonly NpmPackage[] } {
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, LockEntry>> };
  const read = ([path, entry]: readonly [string, LockEntry]): NpmPackage => ({
    name: entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
    version: entry.version ?? "",
    license: entry.license,
    integrity: entry.integrity,
  });
  const { "": root = {}, ...others } = packages;
  const needed = Object.entries(others).filter(([, { dev, optional, link }]) => !dev && !optional && !link);
  return { root: read(["", root]), packages: needed.map(read) };
}

function npmComponent({ name, version, license, integrity }: NpmPackage): Component {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`;
  const [, sha512] = /^sha512-([A-Za-z0-9+/=]+)$/.exec(integrity ?? "") ?? [];
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    ...(sha512 !== undefined && { hashes: [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }] }),
    ...licensed(license),
    purl,
  };
}

interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly source: string | undefined;
  readonly sourceVersion: string | undefined;
}

/** @throws {Error} naming a line that is none */
function debianPackages(list: string): DebianPackage[] {
  return list
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name, version, architecture, source, sourceVersion] = line.trim().split(/\s+/);
      if (name === undefined || version === undefined || architecture === undefined)
        throw new Error(`A Debian package is "name version architecture [source [source version]]", not "${line}".`);
      return { name, version, architecture, source, sourceVersion };
    });
}

/** `upstream` names the source package: Debian files its vulnerabilities there. */
function debianComponent({ name, version, architecture, source, sourceVersion }: DebianPackage, distro: string | undefined): Component {
  const upstream = source === undefined ? undefined : `${source}${sourceVersion === undefined ? "" : `@${sourceVersion}`}`;
  const isOwnSource = source === name && (sourceVersion ?? version) === version;
  const qualifiers = { arch: architecture, distro, upstream: isOwnSource ? undefined : upstream };
  const query = Object.entries(qualifiers).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`]));
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${query.join("&")}`;
  return { type: "library", "bom-ref": purl, name, version, purl };
}

function nodeComponent(given: string): Component {
  const version = given.trim().replace(/^v/, "");
  const purl = `pkg:generic/node@${version}`;
  return { type: "platform", "bom-ref": purl, name: "node", version, cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`, purl };
}

function licensed(license: string | undefined): { licenses?: object[] } {
  if (license === undefined || license === "") return {};
  if (/^(UNLICENSED|SEE LICENSE.*)$/.test(license)) return { licenses: [{ license: { name: license } }] };
  return { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] };
}

/** A package may be there several times, at several places of the tree. */
function unique(components: readonly Component[]): Component[] {
  return [...new Map(components.map((component) => [component["bom-ref"], component])).values()];
}

function byRef(a: Component, b: Component): number {
  return a["bom-ref"] < b["bom-ref"] ? -1 : 1;
}
