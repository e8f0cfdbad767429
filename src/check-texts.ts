import type { CheckTexts } from "./control-plane/console/code/check-texts.ts";

/** A check as configuration, for its page in the console. What writes it is loaded when somebody asks first. */
export const checkTexts: CheckTexts = async (client, id) => {
  const { checkTexts: tell } = await import("./config-as-code/check-texts.ts");
  return tell(client, id);
};
