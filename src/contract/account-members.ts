import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { absentWhereEmpty, Instant, MailAddress, PathId, Uuid, UuidPathId } from "./primitives.ts";

/* People of an account, over REST: those that the console's page of members shows. */

const roles = ["OWNER", "ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"] as const;
const MemberRole = z.enum(roles);
const GivenRole = MemberRole.exclude(["OWNER"]);

export const AccountMember = z
  .object({
    type: z.literal("member"),
    accountId: Uuid,
    userId: Uuid,
    name: z.string().nullable(),
    email: MailAddress,
    role: MemberRole,
    status: z.literal("ACTIVE"),
    createdAt: Instant.describe("when the member joined"),
    updatedAt: Instant,
    isSupportMembership: z.boolean().describe("always false"),
    ssoEnabled: z.boolean().describe("signs in with the OpenID Connect provider"),
    mfaEnabled: z.boolean().describe("has a second factor"),
  })
  .meta({ id: "AccountMember" });
export type AccountMember = z.infer<typeof AccountMember>;

export const AccountInvite = z
  .object({
    type: z.literal("invite"),
    id: Uuid,
    accountId: Uuid,
    email: MailAddress,
    role: MemberRole,
    status: z.enum(["PENDING", "EXPIRED"]),
    inviterEmail: z.string().describe("empty: who invited is in the audit log"),
    createdAt: Instant,
    updatedAt: Instant,
    expiresAt: Instant,
  })
  .meta({ id: "AccountInvite" });
export type AccountInvite = z.infer<typeof AccountInvite>;

export const AccountMembersQuery = z.object({
  search: z.string().max(255).optional().describe("part of the name or the e-mail address, in any case"),
  type: z.enum(["member", "invite"]).optional(),
  role: MemberRole.optional(),
  status: z.enum(["ACTIVE", "PENDING", "EXPIRED"]).optional().describe("invitations that have expired are removed, so EXPIRED leaves none"),
  limit: z.coerce.number().int().min(1).max(100).optional().describe("entries per answer; 100 when omitted"),
  nextId: absentWhereEmpty(z.string().max(100)).describe("`nextId` of the answer before"),
});
export type AccountMembersQuery = z.output<typeof AccountMembersQuery>;

const MembersList = z
  .object({
    members: z.array(z.discriminatedUnion("type", [AccountMember, AccountInvite])),
    length: z.int().min(0),
    nextId: z.string().nullable(),
  })
  .meta({ id: "AccountMembersList" });

const MemberUpdate = z.object({ role: GivenRole }).meta({ id: "AccountMemberUpdate" });

const common = { tag: "Accounts", rateLimit: "standard", access: "admin", successStatus: 200 } as const;
const member = { userId: exampleIds.member } as const;
const account = { accountId: exampleIds.account } as const;
const nobodyAbove = "Nobody gives or takes a role above the one of the key, and the last OWNER stays.";

export const listOwnMembers = {
  ...common,
  id: "listOwnMembers",
  method: "GET",
  path: "/v1/accounts/me/members",
  summary: "List members of the account, and invitations that are open",
  description: "Members first, by name; then invitations, by address.",
  query: AccountMembersQuery,
  output: MembersList,
  example: { query: { type: "member" } },
} as const satisfies Operation;

export const listMembers = {
  ...listOwnMembers,
  id: "listMembers",
  path: "/v1/accounts/{accountId}/members",
  params: z.object({ accountId: UuidPathId }),
  example: { params: account },
} as const satisfies Operation;

export const updateOwnMember = {
  ...common,
  id: "updateOwnMember",
  method: "PATCH",
  path: "/v1/accounts/me/members/{userId}",
  summary: "Change the role of a member",
  description: nobodyAbove,
  params: z.object({ userId: UuidPathId }),
  body: MemberUpdate,
  output: AccountMember,
  errors: [409],
  example: { params: member, body: { role: "READ_RUN" } },
} as const satisfies Operation;

export const updateMember = {
  ...updateOwnMember,
  id: "updateMember",
  path: "/v1/accounts/{accountId}/members/{userId}",
  params: z.object({ accountId: PathId, userId: UuidPathId }),
  example: { params: { ...account, ...member }, body: { role: "READ_RUN" } },
} as const satisfies Operation;

export const deleteOwnMember = {
  ...common,
  id: "deleteOwnMember",
  method: "DELETE",
  path: "/v1/accounts/me/members/{userId}",
  summary: "Remove a member from the account",
  description: `Ends the member's sign-ins. ${nobodyAbove}`,
  params: z.object({ userId: UuidPathId }),
  successStatus: 204,
  errors: [409],
  example: { params: member },
} as const satisfies Operation;

export const deleteMember = {
  ...deleteOwnMember,
  id: "deleteMember",
  path: "/v1/accounts/{accountId}/members/{userId}",
  params: z.object({ accountId: PathId, userId: UuidPathId }),
  example: { params: { ...account, userId: exampleIds.otherMember } },
} as const satisfies Operation;

export const accountMemberOperations = [listOwnMembers, listMembers, updateOwnMember, updateMember, deleteOwnMember, deleteMember] as const;
