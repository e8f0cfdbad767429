import { demoNowMs, type Post } from "./demo-post.ts";

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const ago = (ms: number): string => new Date(demoNowMs - ms).toISOString();

type Services = Readonly<Record<string, object>>;

export async function demoServices(post: Post): Promise<Services> {
  const services: Record<string, object> = {};
  for (const name of ["Checkout", "Front page", "Search", "Card payments", "Refunds"])
    services[name] = await post("/v1/status-pages/services", { name });
  return services;
}

/** What people wrote and made beside checks: dashboards, a status page with incidents, maintenance, variables. */
export async function demoPages(post: Post, services: Services): Promise<void> {
  await dashboards(post);
  await statusPage(post, services);
  await post("/v1/maintenance-windows", {
    name: "Database upgrade",
    description: "Orders may be slow for a while.",
    startsAt: ago(-2 * dayMs),
    endsAt: ago(-2 * dayMs - 2 * hourMs),
    repeatInterval: null,
    repeatUnit: "",
    tags: ["database"],
    statusPageVisibility: { enabled: true, affectAllServices: true },
  });
  await post("/v1/variables", { key: "API_BASE", value: "https://api.shop.example" });
  await post("/v1/variables", { key: "API_TOKEN", value: "made-up-token", secret: true });
  await post("/v1/snippets", { name: "sign-request", script: "module.exports = () => ({ signed: true });" });
}

async function dashboards(post: Post): Promise<void> {
  const shop = await post("/v1/dashboards", {
    header: "Shop",
    description: "What customers see, measured from Frankfurt and Lyon",
    customUrl: "shop",
    customDomain: "dash.shop.example",
    sortByStatus: true,
    checksPerPage: 6,
    enableIncidents: true,
    showCheckRunLinks: true,
  });
  await post("/v1/dashboards", { header: "Payments", customUrl: "payments", tags: ["payments"], isPrivate: true, refreshRate: 300 });
  await post("/v1/incidents", {
    name: "Checkout fails for some orders",
    impact: "MAJOR",
    dashboardId: shop["id"],
    incidentUpdates: [{ status: "INVESTIGATING", description: "We are looking at the order service." }],
  });
}

async function statusPage(post: Post, services: Services): Promise<void> {
  const { Checkout, Search, Refunds } = services;
  const cards = [
    { name: "Buying", services: [services["Front page"], Search, Checkout] },
    { name: "Paying", services: [services["Card payments"], Refunds] },
  ];
  await post("/v1/status-pages", {
    name: "Shop status",
    url: "shop",
    description: "How our services do, and how they did",
    customDomain: "status.shop.example",
    cards,
  });
  const incident = (
    name: string,
    severity: string,
    struck: unknown,
    updates: readonly (readonly [string, string, number])[],
  ): Promise<unknown> =>
    post("/v1/status-pages/incidents", {
      name,
      severity,
      services: [struck],
      incidentUpdates: updates.map(([status, description, atMs]) => ({ status, description, publicIncidentUpdateDate: ago(atMs) })),
    });
  await incident("Search was slow", "MEDIUM", Search, [
    ["INVESTIGATING", "Answers take some seconds.", 9 * dayMs + 2 * hourMs],
    ["RESOLVED", "A new index is in place.", 9 * dayMs],
  ]);
  await incident("Refunds could not be made", "CRITICAL", Refunds, [
    ["INVESTIGATING", "The bank's side does not answer.", 31 * dayMs + 3 * hourMs],
    ["MONITORING", "Refunds go through again.", 31 * dayMs + hourMs],
    ["RESOLVED", "All waiting refunds were made.", 31 * dayMs],
  ]);
  await incident("Checkout fails for some orders", "MAJOR", Checkout, [
    ["INVESTIGATING", "Some orders cannot be finished. Nothing is charged twice.", 22 * minuteMs],
    ["IDENTIFIED", "One of two order servers is overloaded; we take it out.", 9 * minuteMs],
  ]);
}
