import {
  ApiCheck,
  AssertionBuilder,
  CheckGroupV2,
  DnsMonitor,
  GrpcMonitor,
  IcmpMonitor,
  SslMonitor,
  TcpMonitor,
  TracerouteMonitor,
  UrlMonitor,
} from "checkly/constructs";

/** A server that answers what it was asked. */
const url = process.env.LIVE_TARGET;
const nobody = { hostname: "127.0.0.1", port: 1 };
const privateLocations = ["north"];

const group = new CheckGroupV2("group", {
  name: "Group",
  tags: ["of-the-group"],
  apiCheckDefaults: { url: "", headers: [{ key: "x-team", value: "shop" }], queryParameters: [], assertions: [] },
});

new ApiCheck("passes", {
  name: "Passes",
  group,
  privateLocations,
  tags: ["good", "live"],
  request: {
    method: "GET",
    url: `${url}/{{WHERE}}`,
    assertions: [AssertionBuilder.statusCode().equals(200), AssertionBuilder.jsonBody("$.headers.x-team").equals("shop")],
  },
  environmentVariables: [{ key: "WHERE", value: "books" }],
});
new ApiCheck("asserts", {
  name: "Fails: another status",
  privateLocations,
  request: { method: "GET", url: `${url}/books`, assertions: [AssertionBuilder.statusCode().equals(404)] },
});
new ApiCheck("refused", { name: "Fails: refused", privateLocations, request: { method: "GET", url: "http://127.0.0.1:1/" } });
new UrlMonitor("url", { name: "Fails: URL", privateLocations, request: { url: "http://127.0.0.1:1/" } });
new TcpMonitor("tcp", { name: "Fails: TCP", privateLocations, request: nobody });
new DnsMonitor("dns", {
  name: "Fails: DNS",
  privateLocations,
  request: { recordType: "A", query: "shop.example.com", nameServer: "127.0.0.1", port: 1, protocol: "TCP" },
});
new IcmpMonitor("icmp", { name: "Fails: ICMP", privateLocations, request: { hostname: "nobody.invalid" } });
new SslMonitor("ssl", { name: "Fails: SSL", privateLocations, request: { ...nobody, sslConfig: {} } });
new GrpcMonitor("grpc", { name: "Fails: gRPC", privateLocations, request: { url: "127.0.0.1", port: 1, grpcConfig: { mode: "HEALTH" } } });
new TracerouteMonitor("traceroute", { name: "Fails: traceroute", privateLocations, request: { url: "nobody.invalid" } });
