/** Kinds of changes, in the order in which they stand: what an operator must do comes first. */
const kinds: readonly string[] = ["Upgrading", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

/** What breaks the conventions of CHANGELOG.md, as sentences; none for a changelog that a release can be made from. */
export function changelogProblems(text: string): string[] {
  const [unreleased, ...released] = sections(text);
  if (unreleased?.title !== "Unreleased") return ['The first section of CHANGELOG.md must be "## Unreleased".'];
  const titles = released.filter(({ title }) => !/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)? - \d{4}-\d{2}-\d{2}$/.test(title));
  return [
    ...titles.map(({ title }) => `"## ${title}" must be a version and its day, like "## 1.2.0 - 2026-11-20".`),
    ...[unreleased, ...released].flatMap(kindProblems),
  ];
}

/**
 * The changelog with what was unreleased under `version`, and an empty Unreleased section above it.
 *
 * @param day of the release, YYYY-MM-DD
 * @throws {Error} naming each problem, one a line, when no release can be made from it
 */
export function releasedChangelog(text: string, version: string, day: string): string {
  const problems = changelogProblems(text);
  if (problems.length === 0) {
    const [unreleased, ...released] = sections(text);
    if (!/^- /m.test(unreleased?.body ?? "")) problems.push("Nothing stands under Unreleased in CHANGELOG.md: write what changes for whom.");
    if (released.some(({ title }) => title.startsWith(`${version} - `))) problems.push(`CHANGELOG.md has a section ${version} already.`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${day}`);
}

/** What the changelog says of a version, without its title. @throws {Error} when it says nothing */
export function releaseNotes(text: string, version: string): string {
  const section = sections(text).find(({ title }) => title === version || title.startsWith(`${version} - `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}: \`npm version ${version}\` makes it.`);
  return `${section.body.trim()}\n`;
}

interface Section {
  readonly title: string;
  readonly body: string;
}

function sections(text: string): Section[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return { title, body: lines.join("\n") };
    });
}

function kindProblems({ title, body }: Section): string[] {
  const found = [...body.matchAll(/^### (.*)$/gm)].map(([, kind = ""]) => kind);
  const unknown = found.filter((kind) => !kinds.includes(kind));
  if (unknown.length > 0) return unknown.map((kind) => `"### ${kind}" under ${title} must be one of ${kinds.join(", ")}.`);
  const sorted = found.toSorted((a, b) => kinds.indexOf(a) - kinds.indexOf(b));
  const isInOrder = new Set(found).size === found.length && sorted.join() === found.join();
  return isInOrder ? [] : [`The parts of ${title} must stand once each, in this order: ${kinds.join(", ")}.`];
}
