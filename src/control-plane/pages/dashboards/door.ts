import { hasCode } from "#domain/app-error.ts";
import type { FormRequest } from "../../http/form-routes.ts";
import { hostOf, type PageAnswer, type PageRequest, seeOther } from "../../http/page-routes.ts";
import type { CountRequest } from "../../http/rate-limit.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { ownDomain } from "../public/page-domain.ts";
import { cookieFor, type DashboardRow, maySee } from "./access.ts";
import { lockedPage } from "./locked-page.ts";

export interface DoorDeps {
  readonly hashOf: (secret: string) => string;
  readonly publicUrl: () => string;
  readonly countRequest: CountRequest;
}

/** Lets into dashboards whoever may see them; all others get the same, whether there is one or not. */
export interface Door {
  readonly guarded: (
    row: DashboardRow | undefined,
    request: PageRequest,
    answer: (row: DashboardRow) => Promise<PageAnswer>,
  ) => Promise<PageAnswer>;
  /** The key that somebody typed into the form of a private one: he is told that it was wrong, and of pauses. */
  readonly opened: (request: FormRequest) => Promise<PageAnswer>;
}

type Find = (wanted: Pick<PageRequest, "params" | "host">) => Promise<DashboardRow | undefined>;

export function dashboardDoor({ hashOf, publicUrl, countRequest }: DoorDeps, find: Find): Door {
  /** A key becomes a cookie, so that it stands in no link and no history. */
  function exchanged(row: DashboardRow | undefined, path: string, caller: string, key: string): PageAnswer {
    const cookie = cookieFor(row, key, publicUrl().startsWith("https:"), hashOf);
    if (cookie !== undefined) return seeOther(path, { "set-cookie": cookie, "cache-control": "no-store" });
    if (row?.definition.settings.isPrivate === false) return seeOther(path);
    countRequest("wrong-keys", caller);
    return lockedPage();
  }

  return {
    async guarded(row, { query, path, remoteAddress, cookies }, answer) {
      const key = query.get("key");
      if (key !== null) return exchanged(row, path, remoteAddress, key);
      return row !== undefined && maySee(row, cookies, hashOf) ? answer(row) : lockedPage();
    },
    async opened({ url, params, headers, form, ip }) {
      const row = await find({ params: { url: params["url"] ?? ownDomain }, host: hostOf(headers) });
      try {
        const answer = exchanged(row, url.split("?")[0] ?? "/", ip, form.get("key") ?? "");
        return answer.status === 303 ? answer : lockedPage(texts.wrongKey);
      } catch (error) {
        if (!hasCode(error, "rate_limited")) throw error;
        const seconds = Number(error.attributes["retryAfterSeconds"]);
        return lockedPage(texts.tooManyKeys(seconds), seconds);
      }
    },
  };
}
