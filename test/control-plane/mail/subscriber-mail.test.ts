import { expect, it } from "vitest";
import { newsMail } from "../../../src/control-plane/mail/subscriber-mail.ts";

it("hostile names and texts stay text in a mail's HTML, and in one line of its subject", () => {
  const hostile = '<img src=x onerror="alert(1)">\r\nBcc: eve@example.com';
  const incident = { name: hostile, severity: "MAJOR", services: [hostile] };
  const update = {
    id: "a",
    description: hostile,
    status: "INVESTIGATING",
    publicAtMs: 0,
    notifySubscribers: true,
    createdAtMs: 0,
  } as const;
  const mail = newsMail(hostile, incident, update, { page: "http://x/status/a", unsubscribe: "http://x/u" });
  expect(mail.html).not.toContain("<img");
  expect(mail.subject).not.toMatch(/[\r\n]/);
});
