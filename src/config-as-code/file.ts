import { stringify } from "yaml";
import { ProjectWrite } from "#contract/projects.ts";
import { ConfigError } from "#daemon/env.ts";
import { type Body, foundAt, isBody } from "#domain/json-paths.ts";
import { readYaml } from "#importers/yaml-text.ts";
import type { AccountState } from "./account-state.ts";
import { type Entry, entryOf, entryText, type Problem } from "./entry.ts";
import { type KeyedEntries, keyedEntries } from "./keyed-entries.ts";
import { type Kind, kinds } from "./kinds.ts";

const formVersion = 1;
const maxToldProblems = 20;

const head = `# Outpost configuration: apply it with \`outpost apply <this file>\`.
# Each entry is the body of the operation that creates it. Other objects are named, not numbered.
# \${env:NAME} takes a secret from the environment of \`outpost apply\`; where NAME is not set, an object that exists keeps its secret.
`;

/** An account as a file. */
export function fileOf({ entries }: Pick<AccountState, "entries">): string {
  const sections = Map.groupBy(entries, (entry) => entry.kind.section);
  const told = [...sections].map(([section, ofSection]) => {
    const bodies = ofSection.map((entry) => entryText(entry, entry.key));
    return [section, section === "account" ? bodies[0] : bodies];
  });
  return textOf({ outpost: formVersion, ...Object.fromEntries(told) });
}

/** Checks that an importer made, as a file. */
export function fileOfChecks(checks: readonly Body[]): string {
  return textOf({ outpost: formVersion, checks });
}

function textOf(document: Body): string {
  return head + stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** What a file wants to be there. */
export interface WantedFile {
  readonly entries: KeyedEntries;
  /** Sections that the file has, also empty ones. */
  readonly sections: ReadonlySet<string>;
  /** That owns what the file names; null: nobody does. */
  readonly project: ProjectWrite | null;
}

/**
 * Reads a file. @param env gives the secrets that it names
 *
 * @throws {ConfigError} naming each entry and field that is wrong
 */
export function readConfigFile(text: string, env: Readonly<Record<string, string | undefined>>): WantedFile {
  const [document, ...others] = readYaml(text);
  const problems: Problem[] = others.length > 0 ? [{ where: "the file", message: "holds more than one YAML document" }] : [];
  if (!isBody(document)) throw new ConfigError("The file must hold an object with the sections that outpost export writes");
  const { outpost, project: named, ...sections } = document;
  if (outpost !== formVersion) problems.push({ where: "outpost", message: `must be ${formVersion}, the form that this Outpost reads` });
  const project = projectOf(named);
  if (project?.success === false)
    problems.push({ where: "project", message: "must be a name of at most 255 characters, or logicalId, name and repoUrl" });
  const known = kinds.map(({ section }) => section);
  for (const section of Object.keys(sections).filter((name) => !known.includes(name)))
    problems.push({ where: section, message: `is no section; sections: ${known.join(", ")}` });
  const read = kinds.flatMap((kind) => entriesOf(kind, sections[kind.section], env));
  problems.push(...read.filter((one): one is Problem => "where" in one));
  if (problems.length > 0) throw new ConfigError(`The file cannot be applied:\n${told(problems)}`);
  return {
    entries: keyedEntries(read.filter((one): one is Entry => "kind" in one)),
    sections: new Set(Object.keys(sections)),
    project: project?.data ?? null,
  };
}

/** A name alone stands for a project that is called so. */
function projectOf(named: unknown) {
  if (named === undefined || named === null) return undefined;
  return ProjectWrite.safeParse(typeof named === "string" ? { logicalId: named, name: named } : named);
}

function entriesOf(kind: Kind, given: unknown, env: Readonly<Record<string, string | undefined>>): readonly (Entry | Problem)[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given) && kind.section !== "account") return [{ where: kind.section, message: "must be a list" }];
  return [given].flat().flatMap<Entry | Problem>((one, index) => entryOf(kind, one, env, `${kind.section}[${index}]${nameIn(one)}`));
}

/** References to what is neither in the file nor in the account. */
export function danglingReferences({ entries }: WantedFile, state: AccountState): readonly Problem[] {
  return [...entries.values()].flatMap((ofSection) =>
    [...ofSection].flatMap(([key, { kind, body }]) =>
      kind.references.flatMap(({ path, section }) =>
        foundAt(body, path)
          .map(String)
          .filter((name) => entries.get(section)?.has(name) !== true && state.find(section, name) === undefined)
          .map((name) => ({ where: `${kind.section} "${key}"`, message: `${path} names "${name}", and ${section} has none of that name` })),
      ),
    ),
  );
}

/** One line per problem, the first ones only. */
export function told(problems: readonly Problem[]): string {
  const lines = problems.slice(0, maxToldProblems).map(({ where, message }) => `  ${where}: ${message}`);
  const more = problems.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more`].join("\n") : lines.join("\n");
}

function nameIn(one: unknown): string {
  const name = isBody(one) ? (one["name"] ?? one["key"] ?? one["slugName"]) : undefined;
  return typeof name === "string" ? ` (${name})` : "";
}
