import { z } from "zod";
import { AlertChannelWrite } from "#contract/alert-channels.ts";
import {
  CheckGroupCreate,
  CheckGroupCreateV2,
  createCheckGroupV1,
  createCheckGroupV2,
  updateCheckGroupV1,
  updateCheckGroupV2,
} from "#contract/check-groups.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { kinds as inContract, type KindInContract, type KindName, kindNamed } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import { secretMask } from "#contract/variables.ts";
import { type Body, isBody } from "#domain/json-paths.ts";

/** How objects of a kind stand in a file. Each entry of a section is the body of the operation that creates it. */
interface FileRules {
  /** Name of its list in a file. */
  readonly section: string;
  /** What people call an object by: it finds the object that an entry means, and other entries refer to it. */
  readonly keyOf: (body: Body) => string;
  /** Of the body of a creation, where its type decides; undefined when no form fits the body. */
  readonly schemaOf?: (body: Body) => z.ZodObject | undefined;
  /** Parts that belong to other objects or to this installation alone. */
  readonly leftOut?: readonly string[];
  /** Fields that stay as they are where an entry does not name them. */
  readonly keptWhenOmitted?: readonly string[];
  /** Fields that a file tells also where they have their defaults: they say what the others mean. */
  readonly alwaysTold?: readonly string[];
  /** Secret fields of which only a new object is told. */
  readonly notCompared?: readonly string[];
  /** Fields of a body that only a file has: they name folders beside it, of which others are made. */
  readonly folderFields?: (body: Body) => readonly string[];
  /** A body as an answer tells it, made that of a creation: what cannot be read stands as asterisks. */
  readonly asBody?: (read: Body) => Body;
  /** A body as a file tells it, where that is shorter. */
  readonly asText?: (body: Body) => Body;
  /** What reads an object of which a list tells a part only; undefined for one that it tells whole. */
  readonly readWhole?: (listed: Body) => { readonly operation: Operation; readonly query: Readonly<Record<string, string>> } | undefined;
  /** Which operation writes this body, where there is more than one. */
  readonly writtenBy?: (body: Body) => { readonly create: Operation; readonly update: Operation };
}

/** Something that a file can hold. */
export interface Kind extends Omit<FileRules, "schemaOf"> {
  readonly name: KindName;
  readonly title: string;
  readonly idField: string;
  readonly schemaOf: (body: Body) => z.ZodObject | undefined;
  /** Fields that hold ids of objects of other sections. In a file their keys stand there. */
  readonly references: readonly {
    readonly path: string;
    readonly section: string;
    readonly idType: KindInContract["idType"];
  }[];
  readonly operations: KindInContract["operations"];
}

/** The folder of a Playwright project, as seen from the file: what its check says of a bundle is made of it. */
export const suiteField = "playwright";

const name = (body: Body): string => String(body["name"]);

/** Each kind in a file; null for what is part of the daily work and no configuration. */
const fileRules: Readonly<Record<KindName, FileRules | null>> = {
  account: { section: "account", keyOf: () => "account" },
  "private-location": { section: "privateLocations", keyOf: (body) => String(body["slugName"]) },
  snippet: { section: "snippets", keyOf: name },
  variable: {
    section: "variables",
    keyOf: (body) => String(body["key"]),
    asBody: (read) => ({ ...read, value: read["value"] ?? secretMask }),
  },
  "client-certificate": {
    section: "clientCertificates",
    keyOf: (body) => String(body["host"]),
    notCompared: ["key", "passphrase"],
    asBody: (read) => ({ ...read, key: secretMask }),
  },
  "alert-channel": {
    section: "alertChannels",
    schemaOf: (body) => AlertChannelWrite.options.find((form) => form.shape.type.value === body["type"]),
    keyOf: channelKey,
    leftOut: ["subscriptions"],
  },
  "status-page-service": { section: "statusPageServices", keyOf: name },
  "check-group": {
    section: "checkGroups",
    schemaOf: (body) => (enforcesAll(body) ? CheckGroupCreate : CheckGroupCreateV2),
    keyOf: name,
    keptWhenOmitted: ["alertChannelSubscriptions"],
    alwaysTold: ["useGlobalAlertSettings", "alertSettings", "runParallel"],
    writtenBy: (body) =>
      enforcesAll(body)
        ? { create: createCheckGroupV1, update: updateCheckGroupV1 }
        : { create: createCheckGroupV2, update: updateCheckGroupV2 },
  },
  check: {
    section: "checks",
    schemaOf: checkSchema,
    keyOf: name,
    leftOut: ["heartbeat.pingToken", "heartbeat.pingUrl"],
    keptWhenOmitted: ["alertChannelSubscriptions", "frequencyOffset", "dependencies"],
    alwaysTold: ["checkType"],
    folderFields: (body) => (Object.hasOwn(checkSchema(body)?.shape ?? {}, "codeBundlePath") ? [suiteField] : []),
    asBody: withMaskedVariables,
    asText: withoutAliases,
    readWhole: ({ checkType }) =>
      traitsOf(CheckTypeName.parse(checkType)).scripts === "whole"
        ? { operation: getCheckV1, query: { includeDependencies: "true" } }
        : undefined,
  },
  dashboard: {
    section: "dashboards",
    keyOf: ({ customUrl, customDomain, header }) => firstText([customUrl, customDomain, header]) ?? "dashboard",
    leftOut: ["keys"],
  },
  "status-page": { section: "statusPages", keyOf: (body) => String(body["url"]), leftOut: ["cards[].id"] },
  "maintenance-window": { section: "maintenanceWindows", keyOf: name },
  incident: null,
  maintenance: null,
  "status-page-incident": null,
  "status-page-subscription": null,
  "deployment-trigger": null,
  trigger: null,
};

/** Every kind that a file can hold, each after those that it refers to: the order of the contract's table. */
export const kinds: readonly Kind[] = (Object.keys(inContract) as KindName[]).flatMap((kind) => {
  const rules = fileRules[kind];
  if (rules === null) return [];
  const { title, idField, operations, references } = kindNamed(kind);
  const body = (operations.create ?? operations.update)?.body;
  return [
    {
      ...rules,
      name: kind,
      title,
      idField,
      operations,
      schemaOf: rules.schemaOf ?? (() => (body instanceof z.ZodObject ? body : undefined)),
      references: references.flatMap(({ path, kind: other }) => {
        const section = fileRules[other]?.section;
        return section === undefined ? [] : [{ path, section, idType: kindNamed(other).idType }];
      }),
    },
  ];
});

function checkSchema({ checkType = "API" }: Body): z.ZodObject | undefined {
  return Object.hasOwn(storedCheckTypes, String(checkType))
    ? storedCheckTypes[checkType as keyof typeof storedCheckTypes].create
    : undefined;
}

/** v1 enforces what it is given; a group that leaves something to its checks is written by v2 (behaviour 2.6). */
function enforcesAll({ useGlobalAlertSettings, alertSettings, runParallel }: Body): boolean {
  return [useGlobalAlertSettings, alertSettings, runParallel].every((setting) => setting !== null && setting !== undefined);
}

/** A request may be read with two names for one thing (behaviour 2.4). */
function withoutAliases(check: Body): Body {
  const { request } = check;
  const type = CheckTypeName.safeParse(check["checkType"]);
  if (!isBody(request) || !type.success) return check;
  const { aliases } = traitsOf(type.data);
  return { ...check, request: Object.fromEntries(Object.entries(request).filter(([field]) => !aliases.includes(field))) };
}

/** Where a channel sends to, in a few words. */
function channelKey({ type, config }: Body): string {
  const { name: named, address, number, serviceName, channel, slackChannels } = (config ?? {}) as Body;
  const to = firstText([named, address, number, serviceName, channel, Array.isArray(slackChannels) ? slackChannels.join(" ") : null]);
  return to === undefined ? String(type) : `${String(type)} ${to}`;
}

function firstText(candidates: readonly unknown[]): string | undefined {
  return candidates.find((one): one is string => typeof one === "string" && one !== "");
}

/** Values of secret variables of a check that is a script read as null. */
function withMaskedVariables(read: Body): Body {
  const { environmentVariables: variables } = read;
  if (!Array.isArray(variables)) return read;
  const masked = variables.map((one: Body) => (one["secret"] === true ? { ...one, value: one["value"] ?? secretMask } : one));
  return { ...read, environmentVariables: masked };
}
