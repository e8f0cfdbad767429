import { deleteLocationHost, updateLocationHost } from "#contract/location-hosts.ts";
import {
  createPrivateLocation,
  createPrivateLocationKey,
  deletePrivateLocation,
  deletePrivateLocationKey,
  getPrivateLocation,
  updatePrivateLocation,
} from "#contract/private-locations.ts";
import { hasCode } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { hostTexts, locationTexts } from "../../texts/locations.ts";
import type { Ask } from "../ask.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { type LocationView, locationPage } from "./location-page.ts";
import { type LocationReadDeps, readLocation, readLocations } from "./location-reading.ts";
import { type LocationsView, locationsPage } from "./locations-page.ts";

export interface LocationPageDeps extends LocationReadDeps {
  readonly publicUrl: () => string;
}

interface Asking {
  readonly deps: LocationPageDeps;
  readonly ask: Ask;
}

/** Where checks run from, how well agents keep up there, and starting more of them. */
export function locationPages(deps: LocationPageDeps, ask: Ask): readonly ConsolePage[] {
  const asking = { deps, ask };
  const write = { method: "POST", access: "write" } as const;
  return [
    {
      method: "GET",
      path: "/locations",
      access: "read",
      answer: (visit) => list(asking, visit, { isRemoved: visit.request.query.has("removed") }),
    },
    {
      method: "GET",
      path: "/locations/{id}",
      access: "read",
      answer: (visit) => show(asking, visit, { isRevoked: visit.request.query.has("revoked") }),
    },
    { ...write, path: "/locations", answer: (visit) => create(asking, visit) },
    { ...write, path: "/locations/{id}/keys", answer: (visit) => addKey(asking, visit) },
    { ...write, path: "/locations/{id}/keys/{keyId}/remove", answer: (visit) => revokeKey(asking, visit) },
    { ...write, path: "/locations/{id}/hosts/{hostId}", answer: (visit) => decideHost(asking, visit) },
    { ...write, path: "/locations/{id}/host-limit", answer: (visit) => limitHosts(asking, visit) },
    { ...write, path: "/locations/{id}/remove", answer: (visit) => remove(asking, visit) },
  ];
}

async function list({ deps, ask }: Asking, visit: Visit, view: Omit<LocationsView, "locations">): Promise<FormAnswer> {
  return locationsPage(visit, { locations: await readLocations(deps, ask, visit), ...view });
}

async function show({ deps, ask }: Asking, visit: Visit, view: Omit<LocationView, "reading" | "apiUrl">): Promise<FormAnswer> {
  return locationPage(visit, { reading: await readLocation(deps, ask, visit), apiUrl: deps.publicUrl(), ...view });
}

/** The page of the new location, with its first key, which no other page shows. */
async function create(asking: Asking, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const body = { name: typed(form, "name"), slugName: typed(form, "slugName") };
  try {
    const { id, keys } = await asking.ask(visit, createPrivateLocation, { body });
    const request = { ...visit.request, params: { id } };
    return await show(asking, { ...visit, request }, { rawKey: keys[0]?.rawKey });
  } catch (error) {
    const problems = refusedFields(error, ["name", "slugName"]);
    const isTaken = hasCode(error, "conflict");
    return list(asking, visit, { typed: body, problems: isTaken ? { slugName: problems[""] } : problems, status: isTaken ? 409 : 400 });
  }
}

async function addKey(asking: Asking, visit: Visit): Promise<FormAnswer> {
  try {
    const { rawKey } = await asking.ask(visit, createPrivateLocationKey, { params: { id: idOf(visit) } });
    return await show(asking, visit, { rawKey });
  } catch (error) {
    if (hasCode(error, "conflict")) return show(asking, visit, { problems: { key: `${error.message}.` }, status: 409 });
    throw error;
  }
}

async function revokeKey({ ask }: Asking, visit: Visit): Promise<FormAnswer> {
  const id = idOf(visit);
  await ask(visit, deletePrivateLocationKey, { params: { id, keyId: visit.request.params["keyId"] ?? "" } });
  return redirect(`/locations/${encodeURIComponent(id)}?revoked=1`);
}

async function decideHost({ ask }: Asking, visit: Visit): Promise<FormAnswer> {
  const params = { id: idOf(visit), hostId: visit.request.params["hostId"] ?? "" };
  const state = visit.request.form.get("state");
  if (state === "forgotten") await ask(visit, deleteLocationHost, { params });
  else await ask(visit, updateLocationHost, { params, body: { state } });
  return redirect(`/locations/${encodeURIComponent(params.id)}`);
}

async function limitHosts(asking: Asking, visit: Visit): Promise<FormAnswer> {
  const params = { id: idOf(visit) };
  const text = typed(visit.request.form, "hostLimit");
  const { name, icon, proxyUrl } = await asking.ask(visit, getPrivateLocation, { params });
  try {
    await asking.ask(visit, updatePrivateLocation, {
      params,
      body: { name, icon, proxyUrl, hostLimit: text === "" ? null : Number(text) },
    });
    return redirect(`/locations/${encodeURIComponent(params.id)}`);
  } catch (error) {
    if (hasCode(error, "invalid_input")) return show(asking, visit, { problems: { hosts: hostTexts.badLimit }, status: 400 });
    throw error;
  }
}

async function remove(asking: Asking, visit: Visit): Promise<FormAnswer> {
  try {
    await asking.ask(visit, deletePrivateLocation, { params: { id: idOf(visit) } });
    return redirect("/locations?removed=1");
  } catch (error) {
    if (hasCode(error, "conflict")) return show(asking, visit, { problems: { removal: locationTexts.stays }, status: 409 });
    throw error;
  }
}

function idOf({ request: { params } }: Visit): string {
  return params["id"] ?? "";
}
