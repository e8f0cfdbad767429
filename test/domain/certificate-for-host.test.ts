import { describe, expect, it } from "vitest";
import { certificateForHost, certificatesFor } from "#domain/certificate-for-host.ts";

/** Named `host#age`, the newest first, as they come. */
const stored = (...names: readonly string[]) => names.map((name) => ({ name, host: name.replace(/#.*/, "") }));
const chosen = (certificates: readonly { readonly name: string; readonly host: string }[], host: string) =>
  certificateForHost(certificates, host)?.name ?? null;

describe("the certificate of a host", () => {
  it.each([
    ["is an exact one before a wildcard", ["*.x.example#new", "a.x.example#old"], "a.x.example", "a.x.example#old"],
    ["is the newest of two", ["a.x.example#2", "a.x.example#1"], "a.x.example", "a.x.example#2"],
    ["is the newest of two wildcards", ["*.x.example#2", "*.x.example#1"], "b.x.example", "*.x.example#2"],
    ["is no wildcard's of a domain above", ["*.x.example"], "a.b.x.example", null],
    ["is no wildcard's where it is the domain itself", ["*.x.example"], "x.example", null],
    ["is none of another host", ["a.x.example", "x.example"], "ax.example", null],
    ["does not look at case", ["A.X.example"], "a.x.EXAMPLE", "A.X.example"],
    ["does not look at a final dot", ["a.x.example", "*.x.example."], "a.x.example.", "a.x.example"],
    ["may be an IPv4 address", ["10.0.0.1"], "10.0.0.1", "10.0.0.1"],
    ["is no wildcard's for an IPv4 address", ["*.0.0.1"], "10.0.0.1", null],
    ["may be an IPv6 address in any form", ["2001:DB8:0::1"], "[2001:db8::1]", "2001:DB8:0::1"],
    ["may be an IPv6 address without brackets", ["2001:db8::1"], "2001:db8:0:0::1", "2001:db8::1"],
    ["may be a name without a dot", ["*.localhost", "localhost"], "localhost", "localhost"],
    ["may have underscores", ["my_host.example"], "my_host.example", "my_host.example"],
    ["is none where there are none", [], "a.example", null],
    ["is none of a host that cannot be read", ["::::", "%"], "a.example", null],
  ])("%s", (_title, certificates, host, name) => {
    expect(chosen(stored(...certificates), host)).toBe(name);
  });
});

describe("the certificates of a job", () => {
  const all = stored("a.example#2", "*.example#2", "*.b.example", "a.example#1", "*.example#1", "10.0.0.1");
  const everything = ["a.example#2", "*.example#2", "*.b.example", "10.0.0.1"];
  const given = (url: string, mayChange = false) => certificatesFor(all, url, mayChange).map(({ name }) => name);

  it.each([
    ["https://a.example/", ["a.example#2", "*.example#2"]],
    ["HTTPS://user:pass@A.Example.:8443/{{PATH}}", ["a.example#2", "*.example#2"]],
    ["https://a.example?x={{{X}}}", ["a.example#2", "*.example#2"]],
    ["  https://c.example\\{{X}}", ["*.example#2"]],
    ["https://10.1/", ["10.0.0.1"]],
    ["https://other.test/", []],
    ["https://other.test/{{A}}@a.example/", []],
    ["not a url", []],
    ["https:///{{X}}", everything],
    ["{{GROUP_BASE_URL}}/", everything],
    ["https://{{HOST}}/", everything],
    ["https://a.example{{REST}}", everything],
    ["https://{{USER}}@a.example/", everything],
  ])("for %j are those of its host, and all of them where only the run knows it", (url, names) => {
    expect(given(url)).toEqual(names);
  });

  it("are the newest of each host where a script may change the request", () => {
    expect(given("https://other.test/", true)).toEqual(everything);
  });
});
