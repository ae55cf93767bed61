import type { EmployeeRepository } from "../../../application/ports.ts";
import {
  type Employee,
  emailKey,
  employeeChangeFields,
  employeeProperties,
  registrationFields,
} from "../../../domain/employee.ts";
import { forbidden, notFound, recordChanged, tokenRevoked } from "../../../domain/error.ts";
import { integer, orNull, stored, text, without } from "../../../domain/record.ts";
import { listsById } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { assignmentsOf, insertionOf, readerOf, selectionOf } from "../connection/rows.ts";
import { nothing, type Statement, sql } from "../connection/statement.ts";
import { mayWrite, refuseRevoked } from "./write-check.ts";

/** What decides about an employee's logins and tokens. */
const accountProperties = {
  tokenVersion: stored(integer),
  survivingTokenId: stored(orNull(text)),
  tokensValidFrom: stored(integer),
  passwordHash: stored(text),
};

const selection = selectionOf(employeeProperties, {});
const readEmployee = readerOf(employeeProperties);
const readChanged = readerOf({ ...employeeProperties, formerRole: employeeProperties.role });
const readAccount = readerOf({ ...employeeProperties, ...accountProperties });

const registeredFields = without(registrationFields, "password");
/** The email is set apart, together with its key. */
const changedFields = without(employeeChangeFields, "email");

/** Which changes revoke an employee's tokens is for the database to see (sql/0001_employee.sql). */
export function makeEmployeeRepository(database: Database): EmployeeRepository {
  const { query } = database;

  async function find(id: number): Promise<Employee> {
    const [employee] = await query(sql`select ${selection} from employee where id = ${id}`, readEmployee);
    if (employee === undefined) throw notFound("Employee");
    return employee;
  }

  return {
    list: listsById(database, sql`select ${selection} from employee`),

    find,

    async findAccount(email) {
      const [row] = await query(
        sql`select ${selection}, ${selectionOf(accountProperties, {})} from employee where email_folded = ${email}`,
        readAccount,
      );
      if (row === undefined) return undefined;
      const { passwordHash, tokenVersion, survivingTokenId, tokensValidFrom, ...employee } = row;
      return { employee, passwordHash, tokenVersion, survivingTokenId, tokensValidFrom };
    },

    async insert({ passwordHash, ...employee }, by) {
      const { columns, values } = insertionOf(registeredFields, employee);
      const [inserted] = await query(
        sql`
          insert into employee (${columns}, email_folded, password_hash, asked_by)
          select ${values}, ${emailKey(employee.email)}, ${passwordHash}, ${by.employeeId}::bigint
          where ${mayWrite(by)}
          returning ${selection}`,
        readEmployee,
      );
      if (inserted === undefined) throw tokenRevoked();
      return inserted;
    },

    async update(id, { email, ...changes }, editableRoles, by, expected) {
      // Only if it changes: an update that names a column of a unique key takes a lock for which the foreign key employee_event.changed_by
      // waits, so two employees who change each other would be in a deadlock.
      const withEmail =
        email === undefined ? nothing : sql`email = ${email}, email_folded = ${emailKey(email)},`;
      const [changed] = await query(
        sql`
          update employee set ${withEmail} ${assignmentsOf(changedFields, changes)}, asked_by = ${by.employeeId}
          from (select role as "formerRole" from employee where id = ${id}) as before
          where id = ${id} and role = any (string_to_array(${editableRoles.join()}, ','))
            and ${isStill(expected)} and ${mayWrite(by, id)}
          returning ${selection}, "formerRole"`,
        readChanged,
      );
      if (changed !== undefined) {
        const { formerRole, ...employee } = changed;
        return { employee, formerRole };
      }
      await refuseRevoked(database, by);
      // Throws NOT_FOUND. If the caller expects an employee with an editable role, that employee has changed; else the role is not editable.
      await find(id);
      throw expected !== undefined && editableRoles.includes(expected.role) ? recordChanged() : forbidden();
    },

    async setActive(id, active, by, expected) {
      const changed = await query(sql`
        update employee set active = ${active}, asked_by = ${by.employeeId}
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

    async appointAdmin({ passwordHash, ...employee }) {
      const { columns, values } = insertionOf(registeredFields, { ...employee, role: "ADMIN" });
      const [appointed] = await query(
        sql`
          insert into employee (${columns}, email_folded, password_hash)
          values (${values}, ${emailKey(employee.email)}, ${passwordHash})
          on conflict on constraint employee_email_key
          do update set
            role = excluded.role, active = true, password_hash = excluded.password_hash, surviving_token_id = null
          returning ${selection}`,
        readEmployee,
      );
      return appointed as Employee;
    },

    async hasActiveAdmin() {
      const found = await query(sql`select id from employee where role = 'ADMIN' and active limit 1`);
      return found.length === 1;
    },
  };
}

/** Of two changes that expect the same, the second one finds what the first has written. */
function isStill(expected: Employee | undefined): Statement {
  if (expected === undefined) return sql`true`;
  const { columns, values } = insertionOf(without(employeeProperties, "id"), expected);
  return sql`(${columns}) = (${values})`;
}
