import { sendGivenUpAgain } from "#contract/alert-channels.ts";
import { type GivenUpAlert, listGivenUpAlerts } from "#contract/alert-notifications.ts";
import { type Handler, handler } from "../http/handler.ts";
import { alertUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { AlertDeliveryStore, GivenUpRow } from "../storage/storage.ts";

export interface GivenUpDeps {
  readonly alertDeliveries: Pick<AlertDeliveryStore, "givenUp" | "sendAgain">;
  readonly nowMs: () => number;
}

/** What channels could not be told of. */
export function givenUpHandlers({ alertDeliveries, nowMs }: GivenUpDeps): readonly Handler[] {
  return [
    handler(listGivenUpAlerts, async ({ query: { page, limit, alertChannelId } }, { caller }) => {
      const { items, total } = await alertDeliveries.givenUp(caller.account.id, { page, limit, channelId: alertChannelId });
      return { items: items.map(view), total };
    }),
    handler(sendGivenUpAgain, async ({ params: { id } }, { caller }) => {
      const alerts = await alertDeliveries.sendAgain(caller.account.id, id, nowMs());
      if (alerts === undefined) throw notFound("alert channel", String(id));
      return { alerts };
    }),
  ];
}

function view({ id, channelId, alert, sinceMs, givenUpAtMs, attempts, because }: GivenUpRow): GivenUpAlert {
  return {
    id,
    alertChannelId: channelId,
    ...(alert !== null && { checkAlertId: alertUuid(alert), checkId: alert.checkUuid, name: alert.name, alertType: alert.alertType }),
    triedSince: instant(sinceMs),
    givenUpAt: instant(givenUpAtMs),
    attempts,
    because,
  };
}
