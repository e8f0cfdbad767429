import { checkWrites } from "#contract/checks/operations.ts";
import { uploadCodeBundle } from "#contract/code-bundles.ts";
import { uploadSnapshot } from "#contract/code-snapshots.ts";
import { exampleIds } from "#contract/example-ids.ts";
import { type KindInContract, kinds } from "#contract/kinds.ts";
import { createMaintenanceUpdate } from "#contract/maintenances.ts";
import type { Operation } from "#contract/operation.ts";
import { operations } from "#contract/operations.ts";
import { createStatusPageSubscriptions, listStatusPageSubscriptions } from "#contract/status-pages/subscriptions.ts";
import { triggerTestSession } from "#contract/test-sessions.ts";
import type { AccountRow } from "../../src/control-plane/storage/storage.ts";
import type { Answer } from "./call.ts";
import { type ControlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

type Id = string | number;
type Name = keyof typeof exampleIds;

/** What one operation is called with. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Which operation's example makes the object behind a well-known id, and where its answer tells the real id. */
const makers: { readonly [N in Name]?: readonly [operation: string, idOf: (answer: Answer["body"]) => Id] } = {
  ...makersOfKinds(),
  otherAccount: ["createAccount", ({ id }) => id],
  check: ["createApiCheck", ({ id }) => id],
  urlMonitor: ["createUrlCheck", ({ id }) => id],
  tcpCheck: ["createTcpCheck", ({ id }) => id],
  dnsMonitor: ["createDnsCheck", ({ id }) => id],
  icmpMonitor: ["createIcmpCheck", ({ id }) => id],
  sslMonitor: ["createSslCheck", ({ id }) => id],
  grpcMonitor: ["createGrpcCheck", ({ id }) => id],
  tracerouteMonitor: ["createTracerouteCheck", ({ id }) => id],
  browserCheck: ["createBrowserCheck", ({ id }) => id],
  agenticCheck: ["createCheck", ({ id }) => id],
  multiStepCheck: ["createMultistepCheck", ({ id }) => id],
  playwrightCheck: ["createPlaywrightCheck", ({ id }) => id],
  heartbeat: ["createHeartbeatCheck", ({ id }) => id],
  privateLocationKey: ["createPrivateLocationKey", ({ id }) => id],
  apiKey: ["createApiKey", ({ id }) => id],
  statusPageIncidentUpdate: ["createStatusPageIncidentUpdate", ({ id }) => id],
  dashboardNumber: ["createDashboard", ({ id }) => id],
  dashboardKey: ["createDashboardKey", ({ id }) => id],
  incidentUpdate: ["createIncidentUpdate", ({ id }) => id],
  checkTriggerToken: ["createCheckTrigger", ({ token }) => token],
  groupTriggerToken: ["createGroupTrigger", ({ token }) => token],
  group: ["createCheckGroupV2", ({ id }) => id],
  variableKey: ["createVariable", ({ key }) => key],
  privateLocationSlug: ["createPrivateLocation", ({ slugName }) => slugName],
  project: ["createProject", ({ logicalId }) => logicalId],
  projectUuid: ["createProject", ({ id }) => id],
};

/** A kind's id in examples has the kind's name: `statusPage` of `status-page`. */
function makersOfKinds(): typeof makers {
  const named = Object.entries(kinds).flatMap(([kind, { operations: of, idField }]: [string, KindInContract]) => {
    const name = kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return name in exampleIds && of.create ? [[name, [of.create.id, (answer: Answer["body"]) => answer[idField]]]] : [];
  });
  return Object.fromEntries(named);
}

/**
 * A control plane that holds one object per well-known id of the documentation's examples, made by the examples of the operations that
 * create them. What only an agent can bring about (results and what follows from them) comes from one that does so by hand.
 */
export class ExampleWorld {
  readonly plane: ControlPlaneUnderTest;
  /** OWNER of the account that the world is in. */
  readonly key: string;
  /** What each operation that made something answered, in the order of the calls. */
  readonly made = new Map<string, Answer>();
  readonly #ids = new Map<Id, Id>();
  /** By location, which can have two keys at most. */
  readonly #agents = new Map<string, Promise<FakeAgent>>();

  private constructor(plane: ControlPlaneUnderTest, key: string) {
    this.plane = plane;
    this.key = key;
  }

  /** @param owner another account than the first one; what the whole installation has once gets another name there */
  static async build(plane: ControlPlaneUnderTest, owner?: { readonly account: AccountRow; readonly key: string }): Promise<ExampleWorld> {
    const world = new ExampleWorld(plane, owner?.key ?? plane.ownerKey);
    const { uuid } = owner?.account ?? plane.account;
    world.#ids.set(exampleIds.account, uuid).set(exampleIds.runtime, exampleIds.runtime);
    // Only the first account makes others.
    if (owner !== undefined) world.#ids.set(exampleIds.otherAccount, exampleIds.otherAccount);
    if (owner !== undefined) for (const name of namesOfOne) world.#ids.set(name, `other-${name}`);
    await world.#makeObjects();
    await world.#runCheck();
    await world.#findOthers();
    await world.#makeByStore();
    return world;
  }

  /** The documented example of the operation, about this world's objects. @throws for one that names an object that nobody made */
  request(operation: Operation): Request {
    const { example = {}, method } = operation;
    if (operation.bytes === true) return { ...requestOf(operation, example, method), body: emptyArchive };
    return requestOf(operation, { ...example, ...(this.#real(example) as object) }, method);
  }

  call(operation: Operation): Promise<Answer> {
    const { method, path, body } = this.request(operation);
    if (operation.rateLimit === "triggers") return this.#callTrigger(path);
    return operation.access === "public" ? this.plane.call(method, path, { key: undefined }) : this.send(method, path, body);
  }

  #agentAt(location: string): Promise<FakeAgent> {
    const { base, locationKey } = this.plane;
    return this.#agents.getOrInsertComputed(location, async () => FakeAgent.open(base, await locationKey(location)));
  }

  /** It answers when agents have run what it started. */
  async #callTrigger(path: string): Promise<Answer> {
    const agents = await Promise.all(locations.map((location) => this.#agentAt(location)));
    let answered = false;
    const answer = this.plane.call("GET", path, { key: undefined }).finally(() => {
      answered = true;
    });
    const work = async (agent: FakeAgent): Promise<void> => {
      while (!answered) for (const job of await agent.lease(10, 1)) await agent.report(reportOf(job));
    };
    await Promise.all(agents.map(work));
    return answer;
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = body === emptyArchive ? { "content-type": "application/octet-stream" } : {};
    return this.plane.call(method, path, { key: this.key, headers, ...(body !== undefined && { body }) });
  }

  /** In the order of what they need; what cannot be made says why when it is asked for. */
  async #makeObjects(): Promise<void> {
    const waiting = Object.entries(makers).map(([name, [id, idOf]]) => ({ name: name as Name, operation: operationOf(id), idOf }));
    for (let progress = true; progress; ) {
      progress = false;
      for (const { name, operation, idOf } of waiting) {
        if (this.#ids.has(exampleIds[name]) || !this.#isReady(operation, name)) continue;
        this.#ids.set(exampleIds[name], idOf((await this.#make(operation)).body));
        progress = true;
      }
    }
  }

  async #make(operation: Operation): Promise<Answer> {
    const answer = this.made.get(operation.id) ?? (await this.call(operation));
    this.made.set(operation.id, answer);
    if (answer.status === operation.successStatus) return answer;
    throw new Error(`the example of ${operation.id} answers ${answer.status}: ${answer.text}`);
  }

  #isReady({ example }: Operation, making: Name): boolean {
    return idsIn(example).every((id) => this.#ids.has(id) || id === exampleIds[making] || namesThemselves.includes(id));
  }

  /** A run of the check at both of its locations, of which one fails, and a test session; then what follows from them. */
  async #runCheck(): Promise<void> {
    const checkId = this.#ids.get(exampleIds.check);
    const { sessions } = await this.#told("POST", "/v1/check-sessions/trigger", { target: { checkId } });
    await this.#runAt("eu-central-1", failed);
    await this.#runAt("us-east-1", {});
    const { body: testSession } = await this.#make(triggerTestSession);
    await this.#runAt("eu-west-1", failed);
    const [result] = await this.#told("GET", `/v1/check-results/${checkId}?hasFailures=true`);
    const [group] = await this.#told("GET", `/v1/error-groups/checks/${checkId}`);
    const { results } = await this.#told("GET", `/v1/test-sessions/${testSession.testSessionId}`);
    this.#ids
      .set(exampleIds.session, sessions[0].checkSessionId)
      .set(exampleIds.result, result.id)
      .set(exampleIds.sequence, result.sequenceId)
      .set(exampleIds.errorGroup, group.id)
      .set(exampleIds.testSession, testSession.testSessionId)
      .set(exampleIds.testSessionResult, results[0].testSessionResultId);
    await this.#told("PUT", `/v1/checks/api/${checkId}`, { groupId: this.#ids.get(exampleIds.group) });
  }

  /** An agent of the location runs the check once. */
  async #runAt(location: string, changes: Parameters<typeof reportOf>[1]): Promise<void> {
    const checkId = this.#ids.get(exampleIds.check);
    const agent = await this.#agentAt(location);
    const jobs = await agent.lease(100);
    const job = jobs.find(({ payload }) => payload.checkId === checkId);
    if (job === undefined) throw new Error(`no job of the check at ${location}`);
    await agent.report(reportOf(job, changes));
    await agent.release(...jobs.filter((one) => one !== job));
  }

  /** Events and occurrences that come by themselves. */
  async #findOthers(): Promise<void> {
    const { body: heartbeat } = await this.#make(checkWrites.HEARTBEAT.create);
    await fetch(heartbeat.heartbeat.pingUrl);
    const events = await this.#told("GET", `/v1/checks/heartbeats/${heartbeat.id}/events`);
    const [maintenance] = await this.#told("GET", `/v1/maintenance-windows/${this.#ids.get(exampleIds.maintenanceWindow)}/maintenances`);
    const location = this.made.get("createPrivateLocation")?.body;
    await FakeAgent.open(this.plane.base, location.keys[0].rawKey);
    const hosts = await this.#told("GET", `/v1/private-locations/${location.id}/hosts`);
    this.#ids.set(exampleIds.locationHost, hosts[0].id);
    await this.#make(uploadCodeBundle);
    await this.#make(uploadSnapshot);
    await this.#make(createStatusPageSubscriptions);
    const subscriptions = (await this.call(listStatusPageSubscriptions)).body;
    this.#ids
      .set(exampleIds.heartbeatEvent, events[0].events[0].id)
      .set(exampleIds.maintenance, maintenance.id)
      .set(exampleIds.statusPageSubscription, subscriptions[0].id);
    this.#ids.set(exampleIds.maintenanceUpdate, (await this.#make(createMaintenanceUpdate)).body.id);
  }

  /** People, whom only the console invites; what comes of failures by itself, and of a request by whoever analyses; a deployment. */
  async #makeByStore(): Promise<void> {
    const { storage, nowMs } = this.plane.context;
    const uuid = String(this.#ids.get(exampleIds.account));
    const account = await storage.accounts.byUuid(uuid);
    if (account === undefined) throw new Error("the world has no account");
    const agentic = { checkType: "AGENTIC", name: "Buy a book", activated: false, intent: { goal: "buy a book" } };
    this.#ids.set(exampleIds.agenticCheck, (await this.#told("POST", "/v1/checks", agentic)).id);
    for (const name of ["member", "otherMember"] as const) {
      const [tokenHash, email] = [`${name} of ${uuid}`, `${name}-${account.id}@example.com`];
      const times = { createdAtMs: nowMs(), expiresAtMs: nowMs() + 60_000 };
      await storage.invitations.create({ uuid: crypto.randomUUID(), accountId: account.id, email, role: "READ_ONLY", tokenHash, ...times });
      const user = { uuid: crypto.randomUUID(), email, name, passwordHash: null, createdAtMs: nowMs() };
      await storage.invitations.accept(tokenHash, user, nowMs());
      this.#ids.set(exampleIds[name], user.uuid);
    }
    for (const { id, accountId } of await storage.testFailures.unread(0, 100)) {
      const failure = { hash: "h", cleanedMessage: "Connection refused", rawMessage: "Connection refused", seenMs: nowMs() };
      await storage.testFailures.read({ id, accountId, projectUuid: null, environment: null }, [failure]);
    }
    const [failures] = await this.#told("GET", "/v1/test-session-error-groups");
    this.#ids.set(exampleIds.testSessionErrorGroup, failures.id);
    const analysis = await this.#told("POST", `/v1/root-cause-analyses/error-groups/${this.#ids.get(exampleIds.errorGroup)}`, {});
    await eventually(async () => (await this.#told("GET", `/v1/root-cause-analyses/${analysis.id}`)).status === "COMPLETED");
    this.#ids.set(exampleIds.rootCauseAnalysis, analysis.id);
    const project = { logicalId: this.#ids.get(exampleIds.project), name: "Billing" };
    const deployment = await this.#told("POST", "/v1/projects/deploy", { project, resources: [] });
    this.#ids.set(exampleIds.deployment, deployment.id);
    await this.#told("GET", `/v1/projects/${project.logicalId}/deployments/${deployment.id}/completion`);
    // One is applied and committed by the examples, the other cancelled.
    const plan = { uuid: crypto.randomUUID(), changes: { resources: [], friends: [], auxiliary: [] }, createdAtMs: nowMs() };
    const owner = await storage.projects.find(account.id, String(project.logicalId));
    for (const name of ["importPlan", "otherImportPlan"] as const) {
      const uuid = name === "importPlan" ? plan.uuid : crypto.randomUUID();
      await storage.projects.createPlan({ ...plan, uuid, accountId: account.id, projectId: owner?.id ?? 0 });
      this.#ids.set(exampleIds[name], uuid);
    }
  }

  async #told(method: string, path: string, body?: unknown): Promise<Answer["body"]> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answers ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  /** The same value with the ids of real objects. */
  #real(value: unknown): unknown {
    if (typeof value === "string" || typeof value === "number") return this.#realId(value);
    if (Array.isArray(value)) return value.map((entry) => this.#real(entry));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, this.#real(entry)]));
  }

  #realId(value: Id): Id {
    const real = this.#ids.get(value);
    if (real !== undefined) return real;
    if (!wellKnown.has(value) || namesThemselves.includes(value)) return value;
    throw new Error(`nothing was made for the well-known id "${wellKnown.get(value) ?? value}"`);
  }
}

/** Of an operation that takes bytes: a tar without files, packed. */
const emptyArchive = Buffer.from("H4sIAAAAAAAAA2NgGAWjYBSMVAAALq+17wAEAAA=", "base64");

/** Where the check and its group run. */
const locations = ["eu-central-1", "us-east-1", "eu-west-1"] as const;
const trace = { name: "traceroute.log", type: "log", contentType: "text/plain", data: btoa("1 router.example\n") } as const;
const failed = { hasFailures: true, errorMessage: "Connection to 192.0.2.1:443 was refused", evidence: [trace] };

const wellKnown = new Map<Id, Name>(Object.entries(exampleIds).map(([name, id]) => [id, name as Name]));
/** Names in the examples that no second account gives: addresses, which one object of the installation has, and a project's, so that it is nobody else's. */
const namesOfOne = ["shop-status", "shop-uptime", "shop-page", "shop-page-2", "billing"] as const;
/** Names that users choose: the example that makes the object gives it the very name. */
const namesThemselves: readonly Id[] = [exampleIds.variableKey, exampleIds.privateLocationSlug];

/** The well-known ids in an example of objects that one account has and another has not, at any depth. */
export function ownIdsIn(value: unknown): readonly Id[] {
  const shared: readonly Id[] = [...namesThemselves, exampleIds.runtime, exampleIds.account];
  return idsIn(value).filter((id) => !shared.includes(id));
}

function idsIn(value: unknown): readonly Id[] {
  if (typeof value === "string" || typeof value === "number") return wellKnown.has(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(idsIn);
}

function operationOf(id: string): Operation {
  const found: Operation | undefined = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

interface Parts {
  readonly params?: Readonly<Record<string, Id>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: unknown;
}

export function requestOf({ path }: Operation, { params = {}, query = {}, body }: Parts, method: string): Request {
  const filled = path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => encodeURIComponent(params[name] ?? placeholder));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  ).toString();
  return { method, path: search === "" ? filled : `${filled}?${search}`, ...(body !== undefined && { body }) };
}
