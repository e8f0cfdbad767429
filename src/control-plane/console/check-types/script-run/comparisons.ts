import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { part } from "../../facts.ts";
import type { FileAddress } from "../check-type.ts";

const texts = scriptRunTexts.comparisons;
const sides = ["expected", "actual", "diff"] as const;

/** Screenshots that differ from their baseline: what was expected, what came and where they differ, beside each other. */
export function comparisons({ jobAssets }: ResultOf<TestedType>, fileAt: FileAddress, update: Html = html``): Html {
  const names = jobAssets.flatMap((name) => /^(.+)-actual\.png$/.exec(name)?.[1] ?? []);
  return part(texts.title, ...names.map((name) => comparison(name, jobAssets, fileAt)), names.length > 0 ? update : html``);
}

function comparison(name: string, assets: readonly string[], fileAt: FileAddress): Html {
  const pictures = sides.flatMap((side) => {
    const file = `${name}-${side}.png`;
    const address = assets.includes(file) ? fileAt(file, "saved") : null;
    if (address === null) return [];
    const label = texts[side];
    return [
      html`<figure><a href="${address}" download><img src="${address}" alt="${label}: ${name}" loading="lazy"></a><figcaption class="hint">${label}</figcaption></figure>`,
    ];
  });
  return pictures.length === 0 ? html`` : html`<h3>${name}</h3><div class="beside">${pictures}</div>`;
}
