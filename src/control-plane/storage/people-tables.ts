import type { Generated } from "kysely";
import type { Role, SignInMethod } from "./storage.ts";

/* Tables of people, see `schema.ts`. `email_key` is the address by which it is found: in lower case. */

export interface UserTable {
  id: Generated<number>;
  uuid: string;
  email: string;
  email_key: string;
  name: string;
  password_hash: string | null;
  created_at: number;
}

export interface MembershipTable {
  account_id: number;
  user_id: number;
  role: Role;
  created_at: number;
}

export interface InvitationTable {
  uuid: string;
  account_id: number;
  token_hash: string;
  email: string;
  email_key: string;
  role: Role;
  created_at: number;
  expires_at: number;
}

export interface PasswordResetTable {
  user_id: number;
  token_hash: string;
  created_at: number;
  expires_at: number;
}

/** Of a user or of a key. */
export interface SignInTable {
  token_hash: string;
  account_id: number;
  user_id: number | null;
  key_id: string | null;
  method: SignInMethod;
  created_at: number;
  seen_at: number;
  ends_at: number;
  expires_at: number;
}

/** `secret` is sealed, see `sealing.ts`; `is_on` is 0 until a code has shown that the user's app has it. */
export interface SecondFactorTable {
  user_id: number;
  secret: string;
  last_step: number;
  is_on: number;
}

export interface RecoveryCodeTable {
  user_id: number;
  code_hash: string;
}

export interface HalfSignInTable {
  token_hash: string;
  user_id: number;
  expires_at: number;
}

export interface UserIdentityTable {
  user_id: number;
  issuer: string;
  subject: string;
  created_at: number;
}

export interface PeopleTables {
  users: UserTable;
  second_factors: SecondFactorTable;
  recovery_codes: RecoveryCodeTable;
  half_sign_ins: HalfSignInTable;
  user_identities: UserIdentityTable;
  password_resets: PasswordResetTable;
  memberships: MembershipTable;
  invitations: InvitationTable;
  sign_ins: SignInTable;
}
