import type { JobMaterial, JobScript } from "#contract/agent-protocol.ts";
import type { OneScriptType, SettingsOf } from "#contract/checks/index.ts";
import type { CheckEnvironmentVariable } from "#contract/checks/scripted.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { Logger } from "#daemon/logger.ts";
import { certificatesFor } from "#domain/certificate-for-host.ts";
import { templateNames } from "#domain/templates/template-names.ts";
import { usedSnippets } from "#domain/used-snippets.ts";
import type { Sealing } from "../keys/sealing.ts";
import type { LeasedJobRow } from "../storage/storage.ts";
import { type AccountMaterialDeps, createAccountMaterial, type SnippetBook } from "./account-material.ts";
import { createCertificateOpener, createLostSecretLog, createVariableOpener } from "./kept-secrets.ts";
import { chosenVariables, type KeptVariable, keptVariables } from "./kept-variables.ts";

export interface MaterialDeps extends AccountMaterialDeps {
  readonly sealing: Pick<Sealing, "unseal">;
  readonly log: Pick<Logger, "warn">;
}

/** What is past them stays behind: a run never needs it, and one account's jobs must not fill the answer to a shared location. */
const maxVariableBytes = 1_048_576;
const maxCertificateBytes = 4_194_304;

/** What a leased job is about, as far as its material depends on it. */
export interface MaterialJob extends Pick<LeasedJobRow, "check" | "group" | "groupUuid" | "testSession"> {
  readonly proxyUrl: string | null;
}

/** Undefined where a run needs nothing beside its settings. @param settings as the agent gets them */
export type MaterialBuilder = (job: MaterialJob, settings: unknown) => Promise<JobMaterial | undefined>;

/**
 * Puts together what runs bring beside their settings: scripts of API checks, the snippets that scripts read, the variables that a template or a
 * script may use and no others, and client certificates that the request may need: of a check that is a script all of the account.
 */
export function createMaterialBuilder(deps: MaterialDeps): MaterialBuilder {
  const account = createAccountMaterial(deps);
  const sayLost = createLostSecretLog(deps);
  const openVariables = createVariableOpener(deps.sealing, sayLost);
  const openCertificates = createCertificateOpener(deps.sealing, sayLost);

  return async (job, settings) => {
    const { accountId } = job.check;
    const { scripts, codes, showsCertificates, url, mayChangeHost, usesVariables, mayUse } = needsOf(job, settings);
    const [book, ofAccount, certificates] = await Promise.all([
      codes.length + scripts.length > 0 ? account.snippets(accountId, snippetIds(scripts)) : noSnippets,
      usesVariables ? account.variables(accountId) : [],
      showsCertificates ? account.certificates(accountId) : [],
    ]);
    if (!usesVariables && certificates.length === 0) return undefined;
    const { variables, lost } = openVariables(chosenVariables([...levelsOf(job), ofAccount], mayUse), maxVariableBytes);
    const needed = certificatesFor(certificates, url, mayChangeHost);
    const material: JobMaterial = {
      ...scriptsWithSnippets(scripts, codes, book),
      variables,
      groupBaseUrl: mayUse("GROUP_BASE_URL") ? job.group?.apiCheckDefaults.url || null : null,
      certificates: openCertificates(accountId, needed, maxCertificateBytes),
      ...(lost.length > 0 && { lostVariables: [...lost] }),
    };
    return isEmpty(material) ? undefined : material;
  };
}

interface Needs {
  readonly scripts: readonly NamedScript[];
  /** Of a check that is a script: it and the files that it brings. */
  readonly codes: readonly string[];
  readonly showsCertificates: boolean;
  /** Of the request, for whose host certificates are looked up; empty where a script chooses. */
  readonly url: string;
  readonly mayChangeHost: boolean;
  readonly usesVariables: boolean;
  readonly mayUse: (variable: string) => boolean;
}

/** A script may use every variable; templates stand in requests of types that fill them in and in the location's proxy (behaviour 4). */
function needsOf({ check, group, proxyUrl }: MaterialJob, settings: unknown): Needs {
  const traits = traitsOf(check.type);
  const scripts = traits.scripts === "around" ? namedScripts(group, check.definition) : [];
  const names = namesIn(traits.fillsTemplates ? [settings, proxyUrl] : proxyUrl, group);
  const codes = traits.scripts === "whole" ? codesOf(settings as ScriptSettings) : [];
  /** A project's own code is not read here. */
  const isCode = codes.length > 0 || traits.scripts === "project";
  const hasScripts = scripts.length > 0 || isCode;
  const url = traits.certificateUrl?.(settings) ?? null;
  return {
    scripts,
    codes,
    showsCertificates: url !== null || isCode,
    url: url ?? "",
    mayChangeHost: isCode || scripts.some(({ phase }) => phase === "setup"),
    usesVariables: hasScripts || names.size > 0,
    mayUse: (variable) => hasScripts || names.has(variable),
  };
}

/** Of variables in templates; the base URL of a group may have some of its own. */
function namesIn(templates: unknown, group: MaterialJob["group"]): ReadonlySet<string> {
  const names = templateNames(templates);
  return names.has("GROUP_BASE_URL") ? names.union(templateNames(group?.apiCheckDefaults.url)) : names;
}

type ScriptSettings = SettingsOf<OneScriptType>;

function codesOf({ script, dependencies }: ScriptSettings): readonly string[] {
  return [script ?? "", ...(dependencies ?? []).map(({ content }) => content)];
}

function scriptsWithSnippets(
  named: readonly NamedScript[],
  whole: readonly string[],
  book: SnippetBook,
): Pick<JobMaterial, "setup" | "teardown" | "snippets"> {
  const scripts = named.map((one) => ({ phase: one.phase, script: scriptOf(one, book) }));
  const ofPhase = (wanted: NamedScript["phase"]) => scripts.flatMap(({ phase, script }) => (phase === wanted ? script : []));
  const codes = [...whole, ...scripts.map(({ script }) => script.code)];
  return { setup: ofPhase("setup"), teardown: ofPhase("teardown"), snippets: usedSnippets(codes, book.byName) };
}

/** Without the account's, which come last. */
export function levelsOf({ check, group, groupUuid, testSession }: MaterialJob): readonly (readonly KeptVariable[])[] {
  const { accountId } = check;
  return [
    keptVariables(testSession?.environmentVariables, { kind: "test-session", accountId, row: "" }),
    keptVariables(variablesOf(check.definition), { kind: "check", accountId, row: check.uuid }),
    keptVariables(group?.environmentVariables, { kind: "check-group", accountId, row: groupUuid ?? "" }),
  ];
}

const noSnippets: SnippetBook = { byId: new Map(), byName: new Map(), isWhole: true };

function snippetIds(scripts: readonly NamedScript[]): readonly number[] {
  return scripts.flatMap(({ snippetId }) => snippetId ?? []);
}

function isEmpty({ setup, teardown, snippets, variables, groupBaseUrl, certificates, lostVariables }: JobMaterial): boolean {
  const lists = [setup, teardown, Object.keys(snippets), variables, certificates, lostVariables ?? []];
  return groupBaseUrl === null && lists.every(({ length }) => length === 0);
}

/** A script that a check or its group has in one phase. */
interface NamedScript {
  readonly phase: "setup" | "teardown";
  /** `group ` or nothing. */
  readonly owner: string;
  readonly snippetId: number | null;
  readonly inline: string;
}

/** In the order in which they run: group before check, and after the request the other way round (behaviour 2.6). */
function namedScripts(group: MaterialJob["group"], definition: Readonly<Record<string, unknown>>): readonly NamedScript[] {
  const ofGroup = { ...group };
  return [
    namedScript("setup", "group ", ofGroup),
    namedScript("setup", "", definition),
    namedScript("teardown", "", definition),
    namedScript("teardown", "group ", ofGroup),
  ].filter(({ snippetId, inline }) => snippetId !== null || inline.trim() !== "");
}

function namedScript(phase: NamedScript["phase"], owner: string, definition: Readonly<Record<string, unknown>>): NamedScript {
  const [id, inline] = [definition[snippetFields[phase]], definition[inlineFields[phase]]];
  return { phase, owner, snippetId: typeof id === "number" ? id : null, inline: typeof inline === "string" ? inline : "" };
}

const snippetFields = { setup: "setupSnippetId", teardown: "tearDownSnippetId" } as const;
const inlineFields = { setup: "localSetupScript", teardown: "localTearDownScript" } as const;

/** A script is inline or a snippet (spec 1); where both are given, the snippet. One that is gone fails the run with a sentence. */
function scriptOf({ phase, owner, snippetId, inline }: NamedScript, { byId }: SnippetBook): JobScript {
  if (snippetId === null) return { name: `${owner}${phase} script`, code: inline };
  const snippet = byId.get(snippetId);
  if (snippet !== undefined) return { name: `${owner}${phase} snippet ${snippet.name}`, code: snippet.script };
  const message = `The snippet ${snippetId} was deleted: name another one for the ${phase} of the ${owner === "" ? "check" : "group"}, or none`;
  return { name: `${owner}${phase} snippet ${snippetId}`, code: `throw new Error(${JSON.stringify(message)});` };
}

/** They were parsed with the schema of the check's type; API checks and monitors have none. */
function variablesOf(definition: Readonly<Record<string, unknown>>): readonly CheckEnvironmentVariable[] | null {
  return (definition["environmentVariables"] ?? null) as readonly CheckEnvironmentVariable[] | null;
}
