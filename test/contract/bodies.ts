import type { CheckType } from "#contract/checks/index.ts";

type Body = Readonly<Record<string, unknown>>;

/** The smallest accepted bodies; a test adds what it is about. */
export const apiCheckBody = (extra: Body = {}) => ({
  name: "shop",
  request: { method: "GET", url: "https://shop.example" },
  ...extra,
});

/** The request of `apiCheckBody` with more in it. */
export const apiRequestBody = (extra: Body = {}) => ({ method: "GET", url: "https://shop.example", ...extra });

/** The smallest request of each check type. */
export const requests: { readonly [T in CheckType]: Body } = {
  API: { method: "GET", url: "https://shop.example" },
  URL: { url: "https://shop.example" },
  TCP: { hostname: "shop.example", port: 5432 },
  DNS: { query: "shop.example", recordType: "A" },
  ICMP: { hostname: "shop.example" },
  SSL: { sslConfig: { hostname: "shop.example" } },
  GRPC: { url: "shop.example", grpcConfig: { service: "shop.Orders", method: "Get" } },
  TRACEROUTE: { url: "shop.example" },
};
