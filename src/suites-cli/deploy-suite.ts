import { z } from "zod";
import { type Change, changesBetween } from "#config-as-code/plan.ts";
import { CheckEnvironmentVariable } from "#contract/checks/scripted.ts";
import type { Client } from "#contract/client.ts";
import { ApiError } from "#contract/client-error.ts";
import type { DeploymentResult } from "#contract/projects.ts";
import { ConfigError } from "#daemon/env.ts";
import type { Body } from "#domain/json-paths.ts";
import { changedVariables, withVariables } from "./suite-check.ts";
import type { SuiteVariable } from "./suite-options.ts";

/**
 * The check of a suite is found by its logical id as everything that code owns: by a project of code, which a suite has for itself. So a deployment
 * of one suite never touches another one, nor what a project of the same name owns.
 */
const projectOf = (id: string, name: string) => ({ logicalId: `suite:${id}`, name: name.slice(0, 255) });

export interface WantedSuite {
  readonly id: string;
  /** What a new check is called where nobody said it. */
  readonly suiteName: string;
  /** Null: as it is called already. */
  readonly name: string | null;
  readonly fields: Body;
  readonly variables: readonly SuiteVariable[];
}

export interface Deployed {
  readonly action: "create" | "update" | "keep";
  /** Null where a dry run only told what would be made. */
  readonly checkId: string | null;
  readonly name: string;
  readonly changes: readonly Change[];
  readonly changedVariables: readonly string[];
}

/**
 * Makes the check of a suite, or changes the one that has its logical id. What nobody said anything of stays: alerts, retries, tags.
 *
 * @throws {ApiError} {ConfigError} for a new one without a location
 */
export async function deploySuite(client: Client, wanted: WantedSuite, isDryRun: boolean): Promise<Deployed> {
  const stored = await storedSuite(client, wanted);
  return stored === null ? makeSuite(client, wanted, isDryRun) : changeSuite(client, wanted, stored, isDryRun);
}

interface StoredSuite {
  readonly id: string;
  readonly name: string;
  readonly body: Body;
  readonly variables: readonly CheckEnvironmentVariable[];
}

/** A deployment that names nothing tells, as a dry run, what the project owns. */
async function storedSuite(client: Client, { id, suiteName }: WantedSuite): Promise<StoredSuite | null> {
  const query = { dryRun: true, preserveResources: true, scheduleOnDeploy: false };
  const { diff } = await client.deployProjectNow({ query, body: { project: projectOf(id, suiteName), resources: [] } });
  const checkId = checkIdIn(diff, id);
  if (checkId === null) return null;
  try {
    const check = await client.getCheckV1({ params: { id: checkId } });
    const variables = z
      .array(CheckEnvironmentVariable)
      .catch([])
      .parse("environmentVariables" in check ? check.environmentVariables : []);
    return { id: checkId, name: check.name, body: check, variables };
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return null; // somebody deleted it
    throw error;
  }
}

function checkIdIn(diff: DeploymentResult["diff"], id: string): string | null {
  const found = diff.find(({ type, logicalId }) => type === "check" && logicalId === id);
  return found?.physicalId === undefined ? null : String(found.physicalId);
}

async function makeSuite(client: Client, wanted: WantedSuite, isDryRun: boolean): Promise<Deployed> {
  const { id, suiteName, fields, variables } = wanted;
  if (fields["locations"] === undefined) throw await withoutLocation(client);
  const name = wanted.name ?? suiteName;
  const environmentVariables = withVariables([], variables);
  const payload = { checkType: "PLAYWRIGHT", ...fields, name, ...(variables.length > 0 && { environmentVariables }) };
  const { diff } = await client.deployProjectNow({
    query: { dryRun: isDryRun, preserveResources: true, scheduleOnDeploy: false },
    body: { project: projectOf(id, suiteName), resources: [{ logicalId: id, type: "check", payload }] },
  });
  const changes = changesBetween({}, fields);
  return { action: "create", checkId: checkIdIn(diff, id), name, changes, changedVariables: changedVariables([], variables) };
}

async function withoutLocation(client: Client): Promise<ConfigError> {
  const codes = (await client.listPrivateLocations()).map(({ slugName }) => slugName);
  const there =
    codes.length === 0
      ? "The account has no private location yet: make one, and start an agent there"
      : `The account has ${codes.join(", ")}`;
  return new ConfigError(`A new suite needs a location to run at: --location SLUG. ${there}`);
}

async function changeSuite(client: Client, wanted: WantedSuite, stored: StoredSuite, isDryRun: boolean): Promise<Deployed> {
  const { fields, variables } = wanted;
  const changes = changesBetween(stored.body, fields);
  const changed = changedVariables(stored.variables, variables);
  const environmentVariables = changed.length > 0 && withVariables(stored.variables, variables);
  const isSame = changes.length === 0 && changed.length === 0;
  if (!isDryRun && !isSame) {
    const body = { ...fields, ...(environmentVariables && { environmentVariables }) };
    await client.updatePlaywrightCheck({ params: { id: stored.id }, body });
  }
  const name = wanted.name ?? stored.name;
  return { action: isSame ? "keep" : "update", checkId: stored.id, name, changes, changedVariables: changed };
}
