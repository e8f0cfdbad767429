import { symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { createClient } from "../../src/contract/client.ts";
import { suiteBundle } from "../../src/suites-cli/suite-bundle.ts";
import { isUploaded, uploadBundle } from "../../src/suites-cli/upload-bundle.ts";
import { controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { SuiteFolder, shop } from "./suite-folder.ts";

it("is taken by the control plane whatever its files are called, and found again", async () => {
  await using plane = await controlPlaneUnderTest();
  const client = createClient({ baseUrl: plane.base, apiKey: plane.ownerKey });
  const deep = Array.from({ length: 12 }, (_, depth) => `a-folder-with-a-long-name-${depth}`).join("/");
  using folder = new SuiteFolder({
    ...shop,
    "@scope/at.spec.ts": "// at\n",
    "-r": "// an option?\n",
    "tests/größer als.spec.ts": "// umlauts\n",
    "tests/日本語.spec.ts": "// more letters\n",
    [`${deep}/deep.spec.ts`]: "// deep\n",
    [`tests/${"n".repeat(200)}.ts`]: "// long\n",
    "tests/empty.ts": "",
  });
  symlinkSync(`../${deep}/deep.spec.ts`, folder.at("tests/link.spec.ts"));
  const bundle = await suiteBundle(folder.path, { workingDir: null, include: [], namesConfig: false });
  expect(await isUploaded(client, bundle)).toBe(false);
  const sent: number[] = [];
  await uploadBundle(client, bundle, (bytes) => sent.push(bytes));
  expect(sent.at(-1)).toBe(bundle.size);
  expect(await isUploaded(client, bundle)).toBe(true);
  const [stored] = (await client.listCodeBundles({ query: {} })).items;
  expect(stored).toMatchObject({ key: bundle.key, bytes: bundle.size, unpackedBytes: bundle.unpackedBytes, files: bundle.files - 1 });
});
