import { listSecretScans, type SecretFinding } from "#contract/secret-scans.ts";
import { type OpenText, openTexts, previewOf, secretIn } from "#domain/open-secrets.ts";
import { type Handler, handler } from "../http/handler.ts";
import { isSealed, type Sealing } from "../keys/sealing.ts";
import { type StoredAccountVariable, variablePlace } from "../kinds/variable.ts";
import type { CheckGroupStore, CheckStore, DocumentRow, DocumentStore, ProjectStore } from "../storage/storage.ts";

export interface SecretScanDeps {
  readonly checks: Pick<CheckStore, "list">;
  readonly checkGroups: Pick<CheckGroupStore, "list">;
  readonly documents: Pick<DocumentStore, "list">;
  readonly projects: Pick<ProjectStore, "owners">;
  readonly sealing: Pick<Sealing, "unseal">;
}

/** Something that is looked through. */
interface Scanned {
  readonly entityType: SecretFinding["entityType"];
  readonly entityId: string;
  readonly entityName: string | null;
  readonly checkType: string | null;
  readonly texts: readonly OpenText[];
}

/** An answer is bounded: whoever has so many looks at the first ones first. */
const mostFindings = 1_000;
const pageSize = 500;

export function secretScanHandlers(deps: SecretScanDeps): readonly Handler[] {
  return [
    handler(listSecretScans, async (_input, { caller: { account } }) => {
      const variables = (await deps.documents.list<StoredAccountVariable>(account.id, "variable")).items;
      const known = secretsOf(variables, deps.sealing);
      const found: Scanned[] = [];
      for await (const one of everything(deps, account.id, variables)) {
        const texts = one.texts.filter(({ text }) => secretIn(text, known) !== undefined);
        if (texts.length > 0) found.push({ ...one, texts });
      }
      return findingsOf(deps, account.id, found, known);
    }),
  ];
}

function secretsOf(variables: readonly DocumentRow<StoredAccountVariable>[], { unseal }: Pick<Sealing, "unseal">): readonly string[] {
  return variables.flatMap(({ accountId, name, definition: { value, locked, secret } }) => {
    if (!locked && !secret) return [];
    return (isSealed(value) ? unseal(value, variablePlace(accountId, name ?? "")) : value) ?? [];
  });
}

async function* everything(
  { checks, checkGroups, documents }: SecretScanDeps,
  accountId: number,
  variables: readonly DocumentRow<StoredAccountVariable>[],
): AsyncGenerator<Scanned> {
  for (let page = 1; ; page += 1) {
    const { items } = await checks.list(accountId, { page, limit: pageSize });
    for (const { uuid, type, definition } of items) {
      yield { entityType: "CHECK", entityId: uuid, entityName: definition.name, checkType: type, texts: openTexts(definition) };
    }
    if (items.length < pageSize) break;
  }
  const groups = await checkGroups.list(accountId, { page: 1, limit: Number.MAX_SAFE_INTEGER });
  for (const { id, settings } of groups.items) {
    yield { entityType: "CHECK_GROUP", entityId: String(id), entityName: settings.name, checkType: null, texts: openTexts(settings) };
  }
  for (const { id, definition } of (await documents.list<{ readonly name: string }>(accountId, "snippet")).items) {
    yield { entityType: "SNIPPET", entityId: String(id), entityName: definition.name, checkType: null, texts: openTexts(definition) };
  }
  for (const { id, definition } of (await documents.list<{ readonly config: unknown }>(accountId, "alert-channel")).items) {
    const texts = openTexts(definition.config, "config");
    yield { entityType: "ALERT_CHANNEL", entityId: String(id), entityName: null, checkType: null, texts };
  }
  for (const { name, definition } of variables) {
    const isHidden = definition.locked || definition.secret;
    const texts = isHidden ? [] : [{ path: "value", key: name, text: definition.value }];
    yield { entityType: "ENVIRONMENT_VARIABLE", entityId: name ?? "", entityName: name, checkType: null, texts };
  }
}

const ownedAs: Readonly<Partial<Record<SecretFinding["entityType"], string>>> = {
  CHECK: "check",
  CHECK_GROUP: "check-group",
  ALERT_CHANNEL: "alert-channel",
};

async function findingsOf(
  { projects }: SecretScanDeps,
  accountId: number,
  found: readonly Scanned[],
  known: readonly string[],
): Promise<SecretFinding[]> {
  const byType = Map.groupBy(found, ({ entityType }) => entityType);
  const owners = new Map<string, Awaited<ReturnType<ProjectStore["owners"]>>>();
  for (const [entityType, ofType] of byType) {
    const type = ownedAs[entityType];
    if (type !== undefined)
      owners.set(
        entityType,
        await projects.owners(
          accountId,
          type,
          ofType.map(({ entityId }) => entityId),
        ),
      );
  }
  return found
    .flatMap(({ texts, ...entity }) => {
      const owner = owners.get(entity.entityType)?.get(entity.entityId);
      return texts.map(({ path, key, text }) => ({
        ...entity,
        project: owner === undefined ? null : { logicalId: owner.project.logicalId, name: owner.project.name },
        logicalId: owner?.logicalId ?? null,
        fieldPath: path,
        fieldKey: key,
        valuePreview: previewOf(secretIn(text, known) ?? ""),
      }));
    })
    .slice(0, mostFindings);
}
