import { z } from "zod";
import type { Operation } from "./operation.ts";

/** A data center location as the public list tells it. */
export const PublicLocation = z.object({ region: z.string(), name: z.string() }).meta({ id: "PublicLocation" });
export type PublicLocation = z.infer<typeof PublicLocation>;

export const listLocations = {
  id: "listLocations",
  method: "GET",
  path: "/v1/locations",
  tag: "Locations",
  summary: "List the data center locations",
  description: "Where checks can run without a private location of your own, once an agent has that location's key.",
  example: {},
  access: "public",
  rateLimit: "standard",
  output: z.array(PublicLocation),
  successStatus: 200,
} as const satisfies Operation;

export const locationOperations = [listLocations] as const;
