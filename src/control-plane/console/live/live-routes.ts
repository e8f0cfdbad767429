import { AppError } from "#domain/app-error.ts";
import { type RoleAccess, roleAllows } from "#domain/key.ts";
import type { LiveRoute } from "../../http/live-routes.ts";
import { actorId, type CountRequest } from "../../http/rate-limit.ts";
import type { LocationStore } from "../../storage/storage.ts";
import { isOwnOrigin } from "../form-guard.ts";
import { placeNames } from "../place-names.ts";
import { refuseBarred } from "../sign-in/account-rules.ts";
import type { SignIns } from "../sign-in/signed-in.ts";
import type { Visit } from "../visit.ts";
import type { LiveHub } from "./live-hub.ts";
import type { LiveSignIns } from "./live-sign-ins.ts";
import type { WantedView } from "./live-view.ts";

/** What a page of the console listens to. */
export interface LivePage {
  readonly path: LiveRoute["path"];
  readonly access: RoleAccess;
  /** @throws {AppError} not_found */
  readonly views: (visit: Visit) => Promise<readonly WantedView[]>;
}

export interface LiveRouteDeps {
  readonly locations: Pick<LocationStore, "list">;
  readonly signIns: Pick<SignIns, "look">;
  readonly bound: Pick<LiveSignIns, "bind">;
  readonly hub: Pick<LiveHub, "join" | "takeSeat">;
  readonly countRequest: CountRequest;
  readonly publicUrl: () => string;
}

/** For whoever is signed in, under the rules of pages. */
export function liveRoute(
  { locations, signIns, bound, hub, countRequest, publicUrl }: LiveRouteDeps,
  { path, access, views }: LivePage,
): LiveRoute {
  return {
    path,
    open: async (request) => {
      const signedIn = await signIns.look(request.headers);
      if (signedIn === undefined) throw new AppError("unauthorized", "You are not signed in");
      if (!isOwnOrigin(request.headers, publicUrl())) throw new AppError("forbidden", "This is for pages of the console");
      if (!roleAllows(signedIn.role, access)) throw new AppError("forbidden", `Your role ${signedIn.role} may not do this`);
      refuseBarred(signedIn);
      countRequest("pages", actorId(signedIn.actor));
      const leaveSeat = hub.takeSeat(actorId(signedIn.actor));
      const visit: Visit = {
        ...signedIn,
        request: { ...request, form: new URLSearchParams() },
        accounts: [],
        placeName: await placeNames(locations, signedIn.account.id),
        audit: async () => undefined,
      }; // it only reads
      const wanted = await views(visit).catch((error: unknown) => {
        leaveSeat();
        throw error;
      });
      return (viewer) => {
        const unbind = bound.bind(viewer, signedIn, request.headers);
        const leave = hub.join(viewer, wanted, visit);
        return () => {
          leave();
          unbind();
          leaveSeat();
        };
      };
    },
  };
}
