import type { Selectable } from "kysely";
import { kinds } from "#contract/kinds.ts";
import type { Engine } from "../engine.ts";
import type { ProjectBinding, ProjectResource, ProjectRow, ProjectStore, ResourceOwner } from "../project-store.ts";
import type { Tables } from "../schema.ts";
import { deploymentStore } from "./deployments.ts";
import { importPlanStore } from "./import-plans.ts";

const resourceColumns = {
  project_id: "int8",
  account_id: "int8",
  type: "text",
  logical_id: "text",
  physical_id: "text",
  is_member: "int8",
  source_file: "text",
  payload_hash: "text",
  state_hash: "text",
} as const;

export function projectStore(engine: Engine): ProjectStore {
  const { reads, db } = engine;
  const ofAccount = (accountId: number) => reads.selectFrom("projects").selectAll().where("account_id", "=", accountId);
  return {
    ...deploymentStore(engine),
    ...importPlanStore(engine),
    ...resourceStore(engine),
    async list(accountId) {
      return (await ofAccount(accountId).orderBy("id").execute()).map(projectOf);
    },
    async find(accountId, logicalId) {
      const row = await ofAccount(accountId).where("logical_id", "=", logicalId).executeTakeFirst();
      return row && projectOf(row);
    },
    async create({ uuid, accountId, logicalId, name, repoUrl, createdAtMs }) {
      const values = { uuid, account_id: accountId, logical_id: logicalId, name, repo_url: repoUrl, created_at: createdAtMs };
      const taken = await db
        .insertInto("projects")
        .values(values)
        .onConflict((same) => same.columns(["account_id", "logical_id"]).doNothing())
        .returningAll()
        .executeTakeFirst();
      return taken && projectOf(taken);
    },
    async rename(id, { name, repoUrl }, nowMs) {
      await db.updateTable("projects").set({ name, repo_url: repoUrl, updated_at: nowMs }).where("id", "=", id).execute();
    },
    async noteDeployed(id, { commitId, branch }, nowMs) {
      await db.updateTable("projects").set({ commit_id: commitId, branch, deployed_at: nowMs }).where("id", "=", id).execute();
    },
    async remove(id) {
      await db.deleteFrom("projects").where("id", "=", id).execute();
    },
    states: (accountId) => statesOf(engine, accountId),
  };
}

type ResourceStore = Pick<ProjectStore, "resources" | "putResources" | "removeResources" | "bindings" | "owners">;

/** What projects own. */
function resourceStore(engine: Engine): ResourceStore {
  const { reads, db } = engine;
  return {
    async resources(projectId) {
      const rows = reads.selectFrom("project_resources").selectAll().where("project_id", "=", projectId);
      return (await rows.orderBy("type").orderBy("logical_id").execute()).map(resourceOf);
    },
    putResources: (project, resources) =>
      engine.transaction((trx) => {
        const rows = resources.map((one) => [project.id, project.accountId, ...valuesOf(one)]);
        const kept = Object.keys(resourceColumns).slice(4);
        const suffix = `on conflict (project_id, type, logical_id) do update set ${kept.map((name) => `${name} = excluded.${name}`).join(", ")}`;
        return engine.insertMany(trx, "project_resources", resourceColumns, rows, suffix);
      }),
    async removeResources(projectId, names) {
      const rows = db.deleteFrom("project_resources").where("project_id", "=", projectId);
      for (const [type, ofType] of Map.groupBy(names, (one) => one.type)) {
        const ids = ofType.map(({ logicalId }) => logicalId);
        await rows.where("type", "=", type).where(engine.isAny("logical_id", ids)).execute();
      }
    },
    async bindings(accountId, type, physicalIds) {
      const found = resourcesOf(engine, accountId, type, physicalIds);
      const rows = await found.select(["r.is_member", "r.import_plan"]).orderBy("p.id").orderBy("r.logical_id").execute();
      return Map.groupBy(rows.map(bindingOf), ({ physicalId }) => physicalId);
    },
    async owners(accountId, type, physicalIds) {
      const rows = await resourcesOf(engine, accountId, type, physicalIds)
        .select(["r.source_file", "p.repo_url", "p.commit_id", "p.branch", "p.deployed_at"])
        .where("r.is_member", "=", 1)
        .execute();
      return new Map(
        rows.map((row): [string, ResourceOwner] => [
          row.physical_id ?? "",
          {
            project: {
              uuid: row.uuid,
              logicalId: row.project,
              name: row.name,
              repoUrl: row.repo_url,
              commitId: row.commit_id,
              branch: row.branch,
              deployedAtMs: row.deployed_at,
            },
            logicalId: row.logical_id,
            sourceFile: row.source_file,
          },
        ]),
      );
    },
  };
}

/** What projects say of these objects. */
function resourcesOf(engine: Engine, accountId: number, type: string, physicalIds: readonly string[]) {
  return engine.reads
    .selectFrom("project_resources as r")
    .innerJoin("projects as p", "p.id", "r.project_id")
    .select(["r.physical_id", "r.logical_id", "p.uuid", "p.logical_id as project", "p.name"])
    .where("r.account_id", "=", accountId)
    .where("r.type", "=", type)
    .where(engine.isAny("r.physical_id", physicalIds));
}

interface BindingRow {
  readonly physical_id: string | null;
  readonly logical_id: string;
  readonly uuid: string;
  readonly project: string;
  readonly name: string;
  readonly is_member: number;
  readonly import_plan: number | null;
}

function bindingOf(row: BindingRow): ProjectBinding & { readonly physicalId: string } {
  return {
    physicalId: row.physical_id ?? "",
    project: { uuid: row.uuid, logicalId: row.project, name: row.name },
    logicalId: row.logical_id,
    isMember: row.is_member === 1,
    isPending: row.import_plan !== null,
  };
}

/** By the kind's own id; documents that code cannot own do no harm. */
async function statesOf({ reads }: Engine, accountId: number): Promise<ReadonlyMap<string, string>> {
  const [checks, documents, locations] = await Promise.all([
    reads.selectFrom("checks").select(["uuid", "created_at", "updated_at", "revision"]).where("account_id", "=", accountId).execute(),
    reads
      .selectFrom("documents")
      .select(["id", "uuid", "name", "kind", "created_at", "updated_at"])
      .where("account_id", "=", accountId)
      .where("kind", "in", ownedKinds)
      .execute(),
    reads
      .selectFrom("locations")
      .select(["uuid", "created_at", "updated_at"])
      .where("account_id", "=", accountId)
      .where("removed_at", "is", null)
      .execute(),
  ]);
  const idOf = { number: "id", uuid: "uuid", name: "name" } as const;
  return new Map([
    ...checks.map((row): [string, string] => [`check:${row.uuid}`, `${row.updated_at ?? row.created_at}.${row.revision}`]),
    ...documents.map((row): [string, string] => [
      `${row.kind}:${row[idOf[kinds[row.kind].idType]]}`,
      String(row.updated_at ?? row.created_at),
    ]),
    ...locations.map((row): [string, string] => [`private-location:${row.uuid}`, String(row.updated_at ?? row.created_at)]),
  ]);
}

const ownedKinds = ["alert-channel", "check-group", "dashboard", "maintenance-window", "status-page", "status-page-service"] as const;

function valuesOf(one: ProjectResource): (string | number | null)[] {
  const { type, logicalId, physicalId, isMember, sourceFile, payloadHash, stateHash } = one;
  return [type, logicalId, physicalId, Number(isMember), sourceFile, payloadHash, stateHash];
}

function projectOf(row: Selectable<Tables["projects"]>): ProjectRow {
  return {
    id: row.id,
    uuid: row.uuid,
    accountId: row.account_id,
    logicalId: row.logical_id,
    name: row.name,
    repoUrl: row.repo_url,
    createdAtMs: row.created_at,
  };
}

function resourceOf(row: Selectable<Tables["project_resources"]>): ProjectResource {
  return {
    type: row.type,
    logicalId: row.logical_id,
    physicalId: row.physical_id,
    isMember: row.is_member === 1,
    sourceFile: row.source_file,
    payloadHash: row.payload_hash,
    stateHash: row.state_hash,
    isPending: row.import_plan !== null,
  };
}
