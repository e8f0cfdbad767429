import {
  AlertEscalationBuilder,
  ApiCheck,
  AssertionBuilder,
  BrowserCheck,
  CheckGroupV2,
  Dashboard,
  DnsAssertionBuilder,
  DnsMonitor,
  EmailAlertChannel,
  Frequency,
  GrpcMonitor,
  HeartbeatMonitor,
  IcmpMonitor,
  MaintenanceWindow,
  MSTeamsAlertChannel,
  MultiStepCheck,
  OpsgenieAlertChannel,
  PagerdutyAlertChannel,
  PhoneCallAlertChannel,
  PrivateLocation,
  RetryStrategyBuilder,
  SlackAlertChannel,
  SmsAlertChannel,
  SslMonitor,
  StatusPage,
  StatusPageService,
  StatusPageV3,
  StatusPageV3AutomationRule,
  StatusPageV3Component,
  TcpMonitor,
  TracerouteMonitor,
  UrlAssertionBuilder,
  UrlMonitor,
  WebhookAlertChannel,
} from "checkly/constructs";

const mail = new EmailAlertChannel("mail", { address: "on-call@example.com", sendDegraded: true, sslExpiry: true, sslExpiryThreshold: 14 });
const hook = new WebhookAlertChannel("hook", {
  name: "Chat",
  url: "https://chat.example.com/hook",
  method: "post",
  template: '{"text":"{{ALERT_TITLE}}"}',
  headers: [{ key: "x-team", value: "shop" }],
  webhookSecret: "a-very-secret-secret",
});
const others = [
  new SlackAlertChannel("slack", { url: "https://hooks.example.com/services/T0/B0/x", channel: "#ops" }),
  new SmsAlertChannel("sms", { name: "Ada", phoneNumber: "+491700000000" }),
  new PhoneCallAlertChannel("call", { name: "Ada", phoneNumber: "+491700000000" }),
  new PagerdutyAlertChannel("pager", { account: "shop", serviceName: "shop", serviceKey: "0123456789abcdef0123456789abcdef" }),
  new OpsgenieAlertChannel("opsgenie", { name: "shop", apiKey: "key-of-opsgenie", region: "EU", priority: "P2" }),
  new MSTeamsAlertChannel("teams", { name: "Teams", url: "https://teams.example.com/hook" }),
];

const office = new PrivateLocation("office", { name: "Office", slugName: "shop-office", icon: "location" });

const group = new CheckGroupV2("shop-group", {
  name: "Shop",
  activated: true,
  muted: false,
  locations: ["eu-central-1", "us-east-1"],
  tags: ["group"],
  environmentVariables: [{ key: "SHOP", value: "books", locked: false }],
  concurrency: 3,
  alertChannels: [mail],
  privateLocations: [office],
  retryStrategy: RetryStrategyBuilder.fixedStrategy({ baseBackoffSeconds: 30, maxRetries: 2 }),
  alertEscalationPolicy: AlertEscalationBuilder.runBasedEscalation(2),
});

const service = new StatusPageService("checkout-service", { name: "Checkout" });
new StatusPage("status", {
  name: "Shop status",
  url: "book-shop-status",
  cards: [{ name: "Shop", services: [service] }],
  defaultTheme: "DARK",
});
const page3 = new StatusPageV3("status-3", { name: "Shop status 3", url: "book-shop-status-three" });
const area = new StatusPageV3Component("area", { statusPage: page3, type: "GROUP", name: "Area", displayOrder: 1 });
const part = new StatusPageV3Component("part", { statusPage: page3, name: "Search", displayOrder: 2, parent: area });
new StatusPageV3AutomationRule("rule", {
  statusPage: page3,
  name: "Search fails",
  enabled: true,
  firstUpdate: "Looking",
  lastUpdate: "Fixed",
  notifySubscribers: false,
  tags: ["search"],
  components: [{ component: part, targetImpact: "PARTIAL_OUTAGE" }],
});

new ApiCheck("api", {
  name: "API",
  description: "books",
  activated: true,
  group,
  frequency: Frequency.EVERY_10M,
  degradedResponseTime: 2_000,
  maxResponseTime: 9_000,
  alertChannels: [mail, hook, ...others],
  setupScript: { content: "request.headers.push({ key: 'x', value: 'y' })" },
  request: {
    method: "GET",
    url: "http://127.0.0.1:1/books",
    headers: [{ key: "accept", value: "application/json" }],
    queryParameters: [{ key: "q", value: "ada" }],
    basicAuth: { username: "ada", password: "secret-password" },
    assertions: [AssertionBuilder.statusCode().equals(200), AssertionBuilder.jsonBody("$.length").greaterThan(0)],
  },
  environmentVariables: [{ key: "TOKEN", value: "token-of-api", secret: true }],
  retryStrategy: RetryStrategyBuilder.linearStrategy({ maxRetries: 3, onlyOn: "NETWORK_ERROR" }),
  triggerIncident: { service, severity: "MAJOR", name: "API down", description: "The API fails", notifySubscribers: false },
});
new UrlMonitor("url", {
  name: "Front page",
  frequency: Frequency.EVERY_30S,
  alertChannels: [mail],
  request: { url: "http://127.0.0.1:1/", assertions: [UrlAssertionBuilder.statusCode().lessThan(400)] },
});
new TcpMonitor("tcp", {
  name: "Port",
  frequency: Frequency.EVERY_5M,
  request: { hostname: "127.0.0.1", port: 1 },
  privateLocations: [office],
});
new DnsMonitor("dns", {
  name: "Name",
  request: { recordType: "A", query: "shop.example.com", assertions: [DnsAssertionBuilder.responseCode().equals("NOERROR")] },
});
new IcmpMonitor("icmp", { name: "Ping", request: { hostname: "127.0.0.1" }, degradedPacketLossThreshold: 20, maxPacketLossThreshold: 50 });
new SslMonitor("ssl", { name: "Certificate", request: { hostname: "shop.example.com", sslConfig: { alertDaysBeforeExpiry: 20 } } });
new GrpcMonitor("grpc", { name: "gRPC", request: { url: "127.0.0.1", port: 50_051, grpcConfig: { mode: "HEALTH" } } });
new TracerouteMonitor("traceroute", { name: "Route", request: { url: "127.0.0.1" } });
new HeartbeatMonitor("heartbeat", { name: "Backup", period: 1, periodUnit: "hours", grace: 30, graceUnit: "minutes" });
new BrowserCheck("browser", { name: "Browser", code: { entrypoint: "./shop.spec.js" }, frequency: Frequency.EVERY_30M });
new MultiStepCheck("steps", { name: "Steps", code: { entrypoint: "./steps.spec.js" }, frequency: Frequency.EVERY_30M });

new MaintenanceWindow("window", {
  name: "Night",
  tags: ["shop"],
  startsAt: new Date("2027-01-01T01:00:00.000Z"),
  endsAt: new Date("2027-01-01T02:00:00.000Z"),
  repeatInterval: 1,
  repeatUnit: "WEEK",
  repeatEndsAt: new Date("2027-12-01T00:00:00.000Z"),
});
new Dashboard("board", { header: "Shop", customUrl: "book-shop-board", tags: ["shop"], customCSS: { content: "body { color: red }" } });
