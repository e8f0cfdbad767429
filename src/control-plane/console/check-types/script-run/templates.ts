import type { OneScriptType } from "#contract/checks/index.ts";
import { templateScripts as scripts, scriptTemplateTexts as texts } from "../../../texts/script-templates.ts";
import type { ScriptTemplate } from "../check-type.ts";

/** What a script may begin with: typical journeys. */
export const scriptTemplates: { readonly [T in OneScriptType]: readonly ScriptTemplate[] } = {
  BROWSER: [
    { name: "page", title: texts.page, script: scripts.page },
    { name: "sign-in", title: texts.signIn, script: scripts.signIn },
    { name: "search", title: texts.search, script: scripts.search },
  ],
  MULTI_STEP: [
    { name: "answers", title: texts.answers, script: scripts.answers },
    { name: "token", title: texts.token, script: scripts.token },
    { name: "order", title: texts.order, script: scripts.order },
  ],
};
