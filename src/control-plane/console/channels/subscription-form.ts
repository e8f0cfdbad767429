import type { AlertChannelWrite } from "#contract/alert-channels.ts";
import type { ChannelRead } from "./channel-words.ts";

/** What a channel can be subscribed to: `check:<uuid>` or `group:<id>`. */
export type Target = `check:${string}` | `group:${number}`;

type Subscription = Pick<NonNullable<AlertChannelWrite["subscriptions"]>[number], "checkId" | "groupId" | "activated">;

/** Of those that a channel tells of. */
export function activeTargets({ subscriptions }: Pick<ChannelRead, "subscriptions">): ReadonlySet<Target> {
  return new Set(subscriptions.filter(({ activated }) => activated).map(targetOf));
}

/**
 * All subscriptions of a channel after some of its targets were chosen or not. What is neither stays, also one that is there and is not activated.
 */
export function changedSubscriptions(
  { subscriptions }: Pick<ChannelRead, "subscriptions">,
  choice: { readonly on: ReadonlySet<Target>; readonly off: ReadonlySet<Target> },
): readonly Subscription[] {
  const { on, off } = choice;
  const kept = subscriptions.filter((one) => !on.has(targetOf(one)) && !(one.activated && off.has(targetOf(one))));
  return [...kept.map(({ checkId, groupId, activated }) => ({ checkId, groupId, activated })), ...[...on].map(subscriptionTo)];
}

function targetOf({ checkId, groupId }: ChannelRead["subscriptions"][number]): Target {
  return checkId === null ? `group:${groupId ?? 0}` : `check:${checkId}`;
}

function subscriptionTo(target: Target): Subscription {
  const [kind, id = ""] = target.split(":");
  return kind === "check" ? { checkId: id, groupId: null, activated: true } : { checkId: null, groupId: Number(id), activated: true };
}
