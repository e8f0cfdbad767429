import { schemasOf } from "./check-schemas.ts";
import { scriptTraits } from "./check-traits.ts";
import { Script, scriptedFields, sslCheckDomain } from "./scripted.ts";

/** The schemas of browser checks (behaviour 2.3). */
export const browserCheck = schemasOf("BROWSER", {
  id: "BrowserCheck",
  title: "browser check",
  writable: { ...scriptedFields, script: Script.nullable(), sslCheckDomain },
  defaults: { frequency: 10 },
});

export const browserTraits = scriptTraits;
