import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

const project = join(import.meta.dirname, "../..");
const versionsFile = join(project, ".ci/chart-tools.versions");
const generatorFile = join(import.meta.dirname, "chart-schemas.ts");
/** A rendered chart has some thousand lines. */
const maxBuffer = 32 * 1024 * 1024;

/** The charts of this repository. */
export type Chart = "agent" | "control-plane";

/** What stands at some place of a manifest: tests look into manifests of every kind, and what they expect there is the type check. */
export type Field = ReturnType<typeof JSON.parse>;

/** A parsed Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Field;
  readonly data: Field;
  readonly stringData: Field;
  readonly rules: Field;
  readonly type: Field;
  readonly [field: string]: Field;
}

/** Where `.ci/chart-tools` left what the chart tests need. */
export interface ChartTools {
  readonly helm: string;
  readonly kubeconform: string;
  /** Folder of JSON schemas, one file per kind, for kubeconform. */
  readonly schemas: string;
  /** Folder of the custom resource definitions that the charts may use. */
  readonly crds: string;
  /** Of Kubernetes, without the v. */
  readonly kubernetesVersion: string;
}

/** How `helm template` is called. */
export interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
  /** `--set` arguments, as an operator types them. */
  readonly set?: readonly string[];
}

/** Folder of the built tools: the same rule as in `.ci/chart-tools`. */
export function toolsFolder(): string {
  return process.env["OUTPOST_TOOLS_DIR"] || join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "outpost-tools");
}

/** Version of a tool, as `.ci/chart-tools.versions` pins it. */
export function pinnedVersion(tool: "HELM" | "KUBECONFORM" | "KUBERNETES"): string {
  const version = new RegExp(`^${tool}=(\\S+)$`, "m").exec(readFileSync(versionsFile, "utf8"))?.[1];
  if (!version) throw new Error(`${versionsFile} does not name a version of ${tool}`);
  return version;
}

let found: ChartTools | null | undefined;

/** Helm, kubeconform and schemas of the pinned versions. Null, with the reason on standard output, when `.ci/chart-tools` has not built them. */
export function chartTools(): ChartTools | null {
  if (found !== undefined) return found;
  const root = toolsFolder();
  const schemas = join(root, `schemas-${schemasKey()}`);
  const tools = {
    helm: join(root, `helm-${pinnedVersion("HELM")}`, "helm"),
    kubeconform: join(root, `kubeconform-${pinnedVersion("KUBECONFORM")}`, "kubeconform"),
    schemas: join(schemas, "kinds"),
    crds: join(schemas, "crds"),
    kubernetesVersion: pinnedVersion("KUBERNETES").slice(1),
  };
  const missing = [tools.helm, tools.kubeconform, schemas].find((path) => !existsSync(path));
  if (missing) process.stdout.write(`Chart tests are skipped: ${missing} is not there. Run .ci/chart-tools (needs Go) to build it.\n`);
  found = missing ? null : tools;
  return found;
}

/** Changes with the versions and with the program that writes the schemas. */
function schemasKey(): string {
  return createHash("sha256").update(readFileSync(versionsFile)).update(readFileSync(generatorFile)).digest("hex").slice(0, 12);
}

/** What `helm template` makes of a chart and values, hooks included. @throws Error with Helm's text */
export function render(chart: Chart, values: object, options: RenderOptions = {}): Manifest[] {
  const { status, stdout, stderr } = template(chart, values, options);
  if (status !== 0) throw new Error(stderr);
  return manifestsIn(stdout);
}

/** Helm's text where values must be refused. @throws Error when they are not */
export function renderFailure(chart: Chart, values: object, options: RenderOptions = {}): string {
  const { status, stderr } = template(chart, values, options);
  if (status === 0) throw new Error(`helm template accepted ${JSON.stringify(values)} for charts/${chart}`);
  return stderr;
}

/** What an operator reads after `helm install`. Helm tells it only with a cluster at hand, so a copy of the chart renders it as a file. */
export function renderNotes(chart: Chart, values: object, options: RenderOptions = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "chart-notes-"));
  try {
    cpSync(chartFolder(chart), folder, { recursive: true });
    const shown = "templates/shown-notes.yaml";
    writeFileSync(join(folder, shown), `{{ dict "notes" (include (print .Template.BasePath "/NOTES.txt") .) | toJson }}`);
    const { status, stdout, stderr } = helm(["template", ...renderArguments(folder, options), "--show-only", shown], values);
    if (status !== 0) throw new Error(stderr);
    return String(manifestsIn(stdout)[0]?.["notes"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What `helm lint --strict` finds wrong; empty where it passes. */
export function lint(chart: Chart, values: object): string[] {
  const { status, stdout, stderr } = helm(["lint", "--strict", "--quiet", "--values", "-", chartFolder(chart)], values);
  return status === 0 ? [] : `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
}

/** What kubeconform finds in strict mode, one line per finding. A kind without a schema is a finding. */
export function validate(manifests: readonly object[]): string[] {
  const { kubeconform, schemas } = needTools();
  const { status, stdout, stderr } = spawnSync(
    kubeconform,
    ["-strict", "-output", "json", "-n", "1", "-schema-location", join(schemas, "{{.ResourceKind}}{{.KindSuffix}}.json")],
    { input: manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n"), encoding: "utf8", maxBuffer },
  );
  if (status === null || stdout === "") throw new Error(`kubeconform failed: ${stderr}`);
  const { resources = [] } = JSON.parse(stdout) as { resources?: { kind: string; name: string; msg: string }[] };
  return resources.map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`);
}

/** A third of what tests ask for was rendered before, and no test changes a chart. */
const rendered = new Map<string, Outcome>();

function template(chart: Chart, values: object, options: RenderOptions): Outcome {
  const asked = JSON.stringify([chart, values, options]);
  const known = rendered.get(asked);
  if (known) return known;
  const made = helm(["template", ...renderArguments(chartFolder(chart), options)], values);
  rendered.set(asked, made);
  return made;
}

function renderArguments(folder: string, options: RenderOptions): string[] {
  const version = options.kubeVersion ?? needTools().kubernetesVersion;
  const { release = "outpost", namespace = "monitoring", apiVersions = [], set = [] } = options;
  const more = [...apiVersions.flatMap((it) => ["--api-versions", it]), ...set.flatMap((assignment) => ["--set", assignment])];
  return [release, folder, "--namespace", namespace, "--values", "-", "--kube-version", version, ...more];
}

/** How Helm ended. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Helm; values go in by standard input (`--values -`): JSON is YAML. */
export function helm(args: readonly string[], values: object, env: Readonly<Record<string, string>> = {}): Outcome {
  const options = { input: JSON.stringify(values), encoding: "utf8", maxBuffer, env: { ...process.env, ...env } } as const;
  return spawnSync(needTools().helm, args, options);
}

function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new Error(`helm template gave no valid YAML: ${problem.message}`, { cause: problem });
    const manifest = document.toJS() as Manifest | null;
    return manifest ? [manifest] : [];
  });
}

function needTools(): ChartTools {
  const tools = chartTools();
  if (!tools) throw new Error("The chart tools are not built: run .ci/chart-tools");
  return tools;
}

/** Folder of a chart. */
export function chartFolder(chart: Chart): string {
  return join(project, "charts", chart);
}
