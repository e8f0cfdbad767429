import type { AttemptReport } from "#contract/agent-protocol.ts";
import type { Answer } from "./call.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

export const minute = 60_000;
export const down = { hasFailures: true, statusCode: 503, errorMessage: "status 503 is not 200" } as const;

/** A control plane with one agent, on which checks are run by hand to see what is told of them. */
export interface AlertingSite extends ControlPlaneUnderTest {
  /** @returns the check's id */
  readonly make: (changes?: object) => Promise<string>;
  /** Triggers the check and lets its agent report what came out. */
  readonly run: (checkId: string, change?: Partial<AttemptReport>) => Promise<void>;
  /** Triggers the check and lets its agent begin. @returns what ends the run */
  readonly begin: (checkId: string) => Promise<(change?: Partial<AttemptReport>) => Promise<void>>;
  /** Types of its alerts, oldest first. */
  readonly types: (checkId: string) => Promise<readonly string[]>;
  /** Lets the clock jump, and agents be heard of. */
  readonly skip: (minutes: number) => Promise<void>;
}

export async function alertingSite(databaseUrl?: string, env: Readonly<Record<string, string>> = {}): Promise<AlertingSite> {
  const plane = await controlPlaneUnderTest({ ...env, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) });
  const key = await plane.locationKey("eu-west-1");
  let agent = await FakeAgent.open(plane.base, key);
  const begin: AlertingSite["begin"] = async (checkId) => {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    return async (change = {}) => {
      const answers = await agent.report(reportOf(job!, change));
      if (answers[0]?.outcome !== "accepted") throw new Error(`not accepted: ${JSON.stringify(answers)}`);
    };
  };
  return {
    ...plane,
    make: async (changes = {}) => made(await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })),
    begin,
    run: async (checkId, change = {}) => (await begin(checkId))(change),
    types: async (checkId) => {
      const { body } = await plane.call("GET", `/v1/check-alerts/${checkId}`);
      return body.map(({ alertType }: { alertType: string }) => alertType).toReversed();
    },
    skip: async (minutes) => {
      plane.advance(minutes * minute);
      // That of before the jump is gone.
      agent = await FakeAgent.open(plane.base, key);
    },
  };
}

/** The id of what a request made. */
export function made({ status, body, text }: Answer): string {
  if (status !== 201) throw new Error(text);
  return body.id;
}
