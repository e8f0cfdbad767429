import { describe, expect, it } from "vitest";
import { encodedPath, encodedQuery, sha256, signedHeaders } from "../../../src/control-plane/blob-store/s3-signature.ts";
import { Secret } from "../../../src/daemon/secret.ts";

/** Of the examples that AWS publishes for Signature Version 4 in S3. */
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: new Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
  region: "us-east-1",
};
const nowMs = Date.UTC(2013, 4, 24);

describe("a signed request", () => {
  it.each([
    {
      what: "part of an object",
      url: "https://examplebucket.s3.amazonaws.com/test.txt",
      headers: { range: "bytes=0-9" },
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    },
    {
      what: "a query without a value",
      url: "https://examplebucket.s3.amazonaws.com/?lifecycle=",
      headers: {},
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    },
    {
      what: "several parameters",
      url: "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
      headers: {},
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    },
  ])("for $what has the published signature", ({ url, headers, signature }) => {
    const signed = signedHeaders({ method: "GET", url: new URL(url), headers, payloadHash: sha256(""), nowMs }, credentials);
    expect(signed["authorization"]).toMatch(new RegExp(`, Signature=${signature}$`));
    expect(JSON.stringify(signed)).not.toContain("wJalr");
  });

  it("encodes what a URL would leave as it is", () => {
    expect(encodedPath(["a bucket", "k(e)y!*'", "ü"])).toBe("/a%20bucket/k%28e%29y%21%2A%27/%C3%BC");
    expect(encodedQuery({ uploadId: "a/b+c=", partNumber: "2" })).toBe("partNumber=2&uploadId=a%2Fb%2Bc%3D");
  });
});
