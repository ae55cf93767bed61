import { wordOf } from "./field.ts";

/** The roles of employees, from least to most. */
export const roles = ["TECHNICIAN", "MANAGER", "ADMIN"] as const;
export type Role = (typeof roles)[number];

/** What a route asks for: a role, or any logged-in employee. */
export type RequiredRole = Role | "AUTHENTICATED";

export const readRole = wordOf(roles, "Invalid role value");

export const isRole = (value: unknown): value is Role => roles.some(role => role === value);

/** The roles an employee may grant, and whose holders they may edit: their own and those below. */
export const rolesUpTo = (role: Role): readonly Role[] => roles.slice(0, roles.indexOf(role) + 1);

export const mayAct = (role: Role, required: RequiredRole): boolean =>
  required === "AUTHENTICATED" || rolesUpTo(role).includes(required);
