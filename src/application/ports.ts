import type { ActivityFilter } from "../domain/activity.ts";
import type { Asset, NewAsset } from "../domain/asset.ts";
import type { Employee, EmployeeChanges, Registration } from "../domain/employee.ts";
import type { LogPosition, LogQuery, MaintenanceLog, NewLog } from "../domain/maintenance-log.ts";
import type { Role } from "../domain/role.ts";
import type { JsonList } from "./json-list.ts";
import type { TrailRepository } from "./trail/trail-repository.ts";

/** What is stored of a new employee: the registration with the password's hash in place of the password. */
export type EmployeeRecord = Omit<Registration, "password"> & { readonly passwordHash: string };

export interface Credentials {
  readonly employee: Employee;
  readonly passwordHash: string;
  readonly tokenVersion: number;
}

/** What decides whether a token of an employee still works. */
export interface Account {
  readonly employee: Employee;
  /** Incremented by every revocation: deactivation, a change of role, email or password. */
  readonly tokenVersion: number;
  /** The `jti` of the token that made the latest password change, if nothing was revoked since. */
  readonly survivingTokenId: string | null;
  /** Seconds since the epoch: a token without a version must have been issued then or later. */
  readonly tokensValidFrom: number;
}

/** The employee on whose behalf a request is made, and the token with which they ask. */
export interface Caller {
  readonly employeeId: number;
  readonly email: string;
  readonly role: Role;
  /** The `jti` of the token that was sent. */
  readonly tokenId: string | undefined;
  /** The employee's token version for which the token was found live. */
  readonly tokenVersion: number;
}

/**
 * The caller of a change. The writing statement itself checks that the caller's token is still live, and throws
 * TOKEN_REFUSED when it was revoked after the request had been authenticated.
 */
export type Author = Caller | "operator";

/** Every method is atomic, and throws UNAVAILABLE while the records cannot be reached. */
export interface EmployeeRepository {
  /** By id, ascending. */
  list(filter: ActivityFilter): JsonList<Employee>;
  /** Throws NOT_FOUND. */
  find(id: number): Promise<Employee>;
  /**
   * By email, ignoring case.
   *
   * @param asOfSeconds since the epoch; a cached answer from before the end of that second will not do
   */
  findAccount(email: string, asOfSeconds?: number): Promise<Account | undefined>;
  /** By email, ignoring case. */
  findCredentialsByEmail(email: string): Promise<Credentials | undefined>;
  findCredentials(id: number): Promise<Credentials | undefined>;
  /** Stores an active employee. Throws CONFLICT when the email is taken. */
  insert(employee: EmployeeRecord, by: Author): Promise<Employee>;
  /**
   * Changes what is not undefined, provided that the employee now has one of the editable roles. Another role or
   * email revokes the employee's tokens. Throws NOT_FOUND, FORBIDDEN for another role, CONFLICT when the email is taken.
   */
  update(id: number, changes: EmployeeChanges, editableRoles: readonly Role[], by: Author): Promise<Employee>;
  /** Deactivation revokes the employee's tokens. Throws NOT_FOUND. */
  setActive(id: number, active: boolean, by: Author): Promise<void>;
  /**
   * Stores a new hash of the caller's own password if the stored one is still the expected one; says whether it was so.
   * Revokes the caller's tokens but the one with which they ask.
   */
  replacePasswordHash(expected: string, next: string, by: Caller): Promise<boolean>;
  /** Stores the new hash, and revokes all of the employee's tokens. Throws NOT_FOUND. */
  setPasswordHash(id: number, next: string): Promise<void>;
  /**
   * Stores an active ADMIN, or gives the employee with that email this role, password and activity, and revokes
   * the employee's tokens.
   */
  appointAdmin(employee: Omit<EmployeeRecord, "role">): Promise<Employee>;
  hasActiveAdmin(): Promise<boolean>;
}

export interface AssetRepository {
  /** By id, ascending, with `lastLogDate` null. */
  list(filter: ActivityFilter): JsonList<Asset>;
  /** Throws NOT_FOUND. */
  find(id: number): Promise<Asset>;
  insert(asset: NewAsset, by: Author): Promise<Asset>;
  /** Throws NOT_FOUND. */
  setActive(id: number, active: boolean, by: Author): Promise<void>;
}

/**
 * The lists are newest first: by `performedDate`, then by id, both descending. With `limit` they are pages: they may end
 * before it, when they get too long, and their last piece says where the rest begins.
 */
export interface MaintenanceLogRepository {
  /**
   * Writes the log, or answers the one that this performer wrote under the same key, which is kept with it for ever.
   * Throws NOT_FOUND when the asset, UNAUTHENTICATED when the performer is not known under this id and email,
   * UNPROCESSABLE when the key belongs to another log.
   */
  append(assetId: number, performer: Caller, log: NewLog, idempotencyKey?: string): Promise<Appended>;
  /** Throws NOT_FOUND. */
  find(id: number): Promise<MaintenanceLog>;
  list(part: LogQuery): LogList;
  /** Throws NOT_FOUND, before the first piece, when the asset does not exist. */
  listOfAsset(assetId: number, part: LogQuery): LogList;
  /** Throws NOT_FOUND, before the first piece, when the employee does not exist. */
  listOfPerformer(employeeId: number, part: LogQuery): LogList;
  /** Of all assets that are active now. */
  listOfActiveAssets(part: LogQuery): LogList;
}

export type LogList = JsonList<MaintenanceLog, LogPosition>;

export interface Appended {
  readonly log: MaintenanceLog;
  /** Whether the log had been written before, under the same key. */
  readonly replayed: boolean;
}

/** argon2id, or a fake in a test. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Without a hash the result is false, after the same time. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
}

/** The claims of a token whose signature, algorithm, issuer and expiry have been verified. */
export interface TokenClaims {
  /** Claim `sub`. */
  readonly employeeId: number | undefined;
  /** Claim `username`. */
  readonly email: string | undefined;
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

export interface TokenSigner {
  sign(employee: Pick<Employee, "id" | "email" | "role">, version: number): Promise<string>;
}

export interface TokenVerifier {
  /** Throws FORBIDDEN `Token is not valid`. */
  verify(token: string): Promise<TokenClaims>;
}

export interface Clock {
  now(): Date;
}

export type LogDetails = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where a request comes from. */
export interface Origin {
  readonly address: string;
  /** The process's own log, for events of this request: each is logged with all that is known of the request. */
  readonly events: Pick<EventLog, "info" | "warn">;
}

/** The log of the process, as opposed to maintenance logs. */
export interface EventLog {
  debug(event: string, details?: LogDetails): void;
  info(event: string, details?: LogDetails): void;
  warn(event: string, details?: LogDetails): void;
  error(event: string, details?: LogDetails): void;
}

/** The records of the service. */
export interface Repositories {
  readonly employees: EmployeeRepository;
  readonly assets: AssetRepository;
  readonly maintenanceLogs: MaintenanceLogRepository;
  readonly trail: TrailRepository;
}

export interface Ports extends Repositories {
  readonly passwords: PasswordHasher;
  readonly tokens: TokenSigner & TokenVerifier;
  readonly events: EventLog;
  readonly clock: Clock;
}
