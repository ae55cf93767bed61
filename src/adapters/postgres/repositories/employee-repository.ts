import type { Account, EmployeeRepository } from "../../../application/ports.ts";
import { type Employee, emailKey } from "../../../domain/employee.ts";
import { notFound, recordChanged, tokenRevoked, unauthorized } from "../../../domain/error.ts";
import type { Role } from "../../../domain/role.ts";
import { listsById } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { nothing, type Statement, sql } from "../connection/statement.ts";
import { askedBy, mayWrite, refuseRevoked } from "./write-check.ts";

const columns = sql`id, first_name as "firstName", last_name as "lastName", phone, email, role, active`;

const accountColumns = sql`
  ${columns}, token_version as "tokenVersion", surviving_token_id as "survivingTokenId",
  tokens_valid_from as "tokensValidFrom", password_hash as "passwordHash"`;

/** Which changes revoke an employee's tokens is for the database to see (sql/0001_employee.sql). */
export function makeEmployeeRepository(database: Database): EmployeeRepository {
  const { query } = database;
  return {
    list: listsById(database, sql`select ${columns} from employee`),

    async find(id) {
      const [employee] = await query<Employee>(sql`select ${columns} from employee where id = ${id}`);
      if (employee === undefined) throw notFound("Employee");
      return employee;
    },

    async findAccount(email) {
      const [row] = await query<AccountRow>(sql`
        select ${accountColumns} from employee where email_folded = ${email}`);
      if (row === undefined) return undefined;
      const { passwordHash, tokenVersion, survivingTokenId, tokensValidFrom, ...employee } = row;
      return { employee, passwordHash, tokenVersion, survivingTokenId, tokensValidFrom };
    },

    async insert({ firstName, lastName, phone, email, role, passwordHash }, by) {
      const [employee] = await query<Employee>(sql`
        insert into employee
          (first_name, last_name, phone, email, email_folded, role, password_hash, asked_by)
        select ${firstName}, ${lastName}, ${phone}, ${email}, ${emailKey(email)}, ${role}, ${passwordHash},
          ${askedBy(by)}::bigint
        where ${mayWrite(by)}
        returning ${columns}`);
      if (employee === undefined) throw tokenRevoked();
      return employee;
    },

    async update(id, { firstName, lastName, phone, email, role }, editableRoles, by, expected) {
      // Where it names a column of a key, PostgreSQL locks the row against the foreign key of changed_by: two employees who
      // change each other would wait for each other.
      const withEmail =
        email === undefined ? nothing : sql`email = ${email}, email_folded = ${emailKey(email)},`;
      const [outcome] = await query<(Employee | NotEditable) & { readonly formerRole: Role }>(sql`
        with target as (
          select role as "formerRole" from employee where id = ${id}
        ), changed as (
          update employee set
            first_name = coalesce(${firstName ?? null}, first_name),
            last_name = coalesce(${lastName ?? null}, last_name),
            phone = coalesce(${phone ?? null}, phone),
            ${withEmail}
            role = coalesce(${role ?? null}, role),
            asked_by = ${askedBy(by)}
          where id = ${id} and role = any (string_to_array(${editableRoles.join()}, ','))
            and ${isStill(expected)} and ${mayWrite(by, id)}
          returning ${columns}
        )
        select * from target left join changed on true`);
      if (outcome !== undefined && outcome.id !== null) {
        const { formerRole, ...employee } = outcome;
        return { employee, formerRole };
      }
      await refuseRevoked(database, by);
      if (outcome === undefined) throw notFound("Employee");
      throw expected !== undefined && editableRoles.includes(expected.role)
        ? recordChanged()
        : unauthorized();
    },

    async setActive(id, active, by, expected) {
      const changed = await query(sql`
        update employee set active = ${active}, asked_by = ${askedBy(by)}
        where id = ${id} and ${isStill(expected)} and ${mayWrite(by, id)} returning id`);
      if (changed.length > 0) return;
      await refuseRevoked(database, by);
      throw expected === undefined ? notFound("Employee") : recordChanged();
    },

    async replacePasswordHash(expected, next, by) {
      const { employeeId, tokenId } = by;
      const changed = await query(sql`
        update employee set password_hash = ${next}, surviving_token_id = ${tokenId ?? null}
        where id = ${employeeId} and password_hash = ${expected} and ${mayWrite(by, employeeId)}
        returning id`);
      if (changed.length === 0) await refuseRevoked(database, by);
      return changed.length === 1;
    },

    async setPasswordHash(id, next) {
      const changed = await query(sql`
        update employee set password_hash = ${next}, surviving_token_id = null
        where id = ${id} returning id`);
      if (changed.length === 0) throw notFound("Employee");
    },

    async appointAdmin({ firstName, lastName, phone, email, passwordHash }) {
      const [employee] = await query<Employee>(sql`
        insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
        values (${firstName}, ${lastName}, ${phone}, ${email}, ${emailKey(email)}, 'ADMIN', ${passwordHash})
        on conflict on constraint employee_email_key
        do update set
          role = 'ADMIN', active = true, password_hash = excluded.password_hash, surviving_token_id = null
        returning ${columns}`);
      return employee as Employee;
    },

    async hasActiveAdmin() {
      const found = await query(sql`select id from employee where role = 'ADMIN' and active limit 1`);
      return found.length === 1;
    },
  };
}

/** Of two changes that expect the same, the second one finds what the first has written. */
const isStill = (expected: Employee | undefined): Statement =>
  expected === undefined
    ? sql`true`
    : sql`(first_name, last_name, phone, email, role, active) = (${expected.firstName}, ${expected.lastName},
        ${expected.phone}, ${expected.email}, ${expected.role}, ${expected.active})`;

/** The row of an employee who exists but whose role was not among the editable ones. */
type NotEditable = { readonly [Column in keyof Employee]: null };

type AccountRow = Employee & Omit<Account, "employee">;
