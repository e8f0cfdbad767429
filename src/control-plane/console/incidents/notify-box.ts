import { incidentTexts } from "../../texts/incidents.ts";
import { subscriberTexts } from "../../texts/subscribers.ts";
import { type Html, html } from "../../view/html.ts";
import { checkbox } from "../form-inputs.ts";

/** Whether those who follow a page are told of an update by mail. */
export function notifyBox(isOn: boolean, canSendMail: boolean): Html {
  const box = checkbox({ name: "notifySubscribers", label: incidentTexts.notify, isOn });
  return canSendMail ? box : html`${box}<p class="hint">${subscriberTexts.noMail}</p>`;
}
