import type { ActivityFilter } from "../domain/activity.ts";
import type { Asset, NewAsset } from "../domain/asset.ts";
import type { EmailKey, Employee, EmployeeChanges, Registration } from "../domain/employee.ts";
import type { LogFilter, LogPosition, LogQuery, MaintenanceLog, NewLog } from "../domain/maintenance-log.ts";
import type { Role } from "../domain/role.ts";
import type { Clock, EventLog } from "./clock-and-log.ts";
import type { JsonList } from "./json-list.ts";
import type { TrailStore } from "./trail/ports.ts";

/** What is stored of a new employee: the registration with the password's hash in place of the password. */
export type EmployeeRecord = Omit<Registration, "password"> & { readonly passwordHash: string };

/** An employee, and what decides about their logins and tokens. */
export interface Account {
  readonly employee: Employee;
  readonly passwordHash: string;
  /** Incremented by every revocation: deactivation, a change of role, email or password. */
  readonly tokenVersion: number;
  /** The `jti` of the token that made the latest password change, if nothing was revoked since. */
  readonly survivingTokenId: string | null;
  /** Seconds since the epoch, the next one after the latest revocation: a token must have been issued then or later. */
  readonly tokensValidFrom: number;
}

/** The employee on whose behalf a request is made, and the token with which they ask. */
export interface Caller {
  readonly employeeId: number;
  readonly email: EmailKey;
  readonly role: Role;
  /** The `jti` of the token that was sent. */
  readonly tokenId: string | undefined;
  /** The employee's token version for which the token was found live. */
  readonly tokenVersion: number;
}

/**
 * Every method of the repositories is atomic. It throws UNAVAILABLE while the records cannot be reached, and, unless it says
 * otherwise, NOT_FOUND for an id that no record has. A method with a caller (`by`) writes only while the caller's token is live,
 * and throws TOKEN_REFUSED when it was revoked after the request had been authenticated. Lists of employees and of assets
 * are by id, ascending.
 */
export interface EmployeeRepository {
  list(filter: ActivityFilter): JsonList<Employee>;
  find(id: number): Promise<Employee>;
  findAccount(email: EmailKey): Promise<Account | undefined>;
  /** Stores an active employee. Throws CONFLICT when the email is taken. */
  insert(employee: EmployeeRecord, by: Caller): Promise<Employee>;
  /**
   * Changes what is not undefined, provided that the employee now has one of the editable roles. A change of role
   * or email revokes the employee's tokens. Throws FORBIDDEN when the role now is not editable, CONFLICT when the email is taken.
   *
   * @param expected as the employee must be now: throws CHANGED otherwise
   * @returns the employee, and the role before
   */
  update(
    id: number,
    changes: EmployeeChanges,
    editableRoles: readonly Role[],
    by: Caller,
    expected?: Employee,
  ): Promise<{ readonly employee: Employee; readonly formerRole: Role }>;
  /** Deactivation revokes the employee's tokens. `expected` is as in `update`. */
  setActive(id: number, active: boolean, by: Caller, expected?: Employee): Promise<void>;
  /**
   * Stores a new hash of the caller's own password if the stored one is still the expected one; says whether it was so.
   * Revokes the caller's tokens but the one with which they ask.
   */
  replacePasswordHash(expected: string, next: string, by: Caller): Promise<boolean>;
  /** Stores the new hash, and revokes all of the employee's tokens. */
  setPasswordHash(id: number, next: string): Promise<void>;
  /**
   * Stores an active ADMIN, or gives the employee with that email this role, password and activity, and revokes
   * the employee's tokens.
   */
  appointAdmin(employee: Omit<EmployeeRecord, "role">): Promise<Employee>;
  hasActiveAdmin(): Promise<boolean>;
}

export interface AssetRepository {
  /** With `lastLogDate` null. */
  list(filter: ActivityFilter): JsonList<Asset>;
  find(id: number): Promise<Asset>;
  insert(asset: NewAsset, by: Caller): Promise<Asset>;
  setActive(id: number, active: boolean, by: Caller): Promise<void>;
}

/**
 * The lists are newest first: by `performedDate`, then by id, both descending. A query with `limit` asks for a page. A page of too
 * many bytes ends before its limit; its last chunk says where the rest begins.
 */
export interface MaintenanceLogRepository {
  /**
   * Writes the log unless this performer wrote one under the same key, which is kept with the log for ever. A missing asset
   * is an outcome, not NOT_FOUND.
   */
  append(assetId: number, performer: Caller, log: NewLog, idempotencyKey?: string): Promise<Appended>;
  find(id: number): Promise<MaintenanceLog>;
  list(query: LogQuery): LogList;
  /** Throws NOT_FOUND, as the next one, before the first chunk. */
  listOfAsset(assetId: number, query: LogQuery): LogList;
  listOfPerformer(employeeId: number, query: LogQuery): LogList;
  /** Of all assets that are active now: the newest `limit` logs, however long they are. */
  listOfActiveAssets(filter: LogFilter, limit: number): LogList;
}

export type LogList = JsonList<MaintenanceLog, LogPosition>;

/** What became of a log that was to be written. If there are several reasons why it was not, it is the first one of this list. */
type Appended =
  /** There is no employee of the performer's id and email; their token is not live; there is no such asset. */
  | { readonly outcome: "no performer" | "revoked" | "no asset" }
  /** The log that was written, or the one that has the key already. */
  | { readonly outcome: "written" | "key in use"; readonly log: MaintenanceLog };

/** argon2id, or a fake in a test. Both methods wait in a line until it is their turn (FairQueue). */
export interface PasswordHasher {
  hash(password: string, line: readonly string[]): Promise<string>;
  /**
   * Without a hash the result is false, after the same time.
   *
   * @param begin is called when it is the turn of this verification: what it throws refuses it
   */
  verify(
    hash: string | undefined,
    password: string,
    line: readonly string[],
    begin: () => void,
  ): Promise<boolean>;
}

/** The claims of a token whose signature, algorithm, issuer and expiry have been verified. */
export interface TokenClaims {
  /** Claim `sub`. */
  readonly employeeId: number | undefined;
  /** Claim `username`. */
  readonly email: EmailKey | undefined;
  /** The one role name in claim `roles`, if it is a known one. */
  readonly role: Role | undefined;
  /** Claim `jti`. */
  readonly tokenId: string | undefined;
  /** Claim `ver`: the employee's token version when the token was signed. */
  readonly version: number | undefined;
  /** Claim `iat`, in seconds since the epoch. */
  readonly issuedAt: number | undefined;
  /** Claim `exp`, in seconds since the epoch. */
  readonly expiresAt: number;
}

/** What a token says of its account. Its time of issue is never before `tokensValidFrom`. */
interface SignedAccount extends Pick<Account, "tokenVersion" | "tokensValidFrom"> {
  readonly employee: Pick<Employee, "id" | "email" | "role">;
}

export interface Tokens {
  /** Signs a token that is valid for the account as it is. */
  sign(account: SignedAccount): Promise<string>;
  /** Throws TOKEN_REFUSED. */
  verify(token: string): Promise<TokenClaims>;
}

/** Where a request comes from, and the log for what it does. */
export interface RequestContext {
  readonly address: string;
  /** The process's own log, for events of this request: each is logged with all that is known of the request. */
  readonly events: Pick<EventLog, "info" | "warn">;
}

export interface Repositories {
  readonly employees: EmployeeRepository;
  readonly assets: AssetRepository;
  readonly maintenanceLogs: MaintenanceLogRepository;
  readonly trail: TrailStore;
}

export interface Ports extends Repositories {
  readonly passwords: PasswordHasher;
  readonly tokens: Tokens;
  readonly events: EventLog;
  readonly clock: Clock;
}
