import { readFileSync, writeFileSync } from "node:fs";
import { withSettings } from "./settings.ts";

/** `npm run docs`: writes the generated parts of the README. */
const readme = new URL("../README.md", import.meta.url);
writeFileSync(readme, withSettings(readFileSync(readme, "utf8")));
