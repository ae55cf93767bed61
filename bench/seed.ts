import type postgres from "postgres";

export const employees = 20;
export const assets = 200;
export const smallAssets = 50;
export const logsOfSmallAsset = 100;
/** Has a quarter of the logs that the small assets do not have; the other assets share the rest. */
export const largeAsset = assets;
export const password = "the password of the bench";
export const emailOf = (id: number): string => `employee${id}@example.com`;

/** Employees and assets. Everybody has the same password, and so the same hash. */
export async function seedOwners(sql: postgres.Sql, passwordHash: string): Promise<void> {
  await sql`
    insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
    select 'First' || i, 'Last' || i, '+45 12 34 56', 'employee' || i || '@example.com',
      'employee' || i || '@example.com', case i when 1 then 'ADMIN' else 'TECHNICIAN' end, ${passwordHash}
    from generate_series(1, ${employees}::integer) i`;
  await sql`
    insert into asset (name, description)
    select 'Asset ' || i, 'Packing line ' || i || ', hall B: conveyor with two drives, a belt scale and a labelling head.'
    from generate_series(1, ${assets}::integer) i`;
}

/** Brings the logs up to a number of rows. As in a real trail later logs tell of later days, roughly. */
export async function seedLogs(sql: postgres.Sql, upTo: number): Promise<void> {
  const [found] = await sql<{ count: string }[]>`select count(*) from maintenance_log`;
  const present = Number(found?.count);
  // Those of the last release are texts.
  const types = await sql<{ type: string }[]>`
    select format_type(atttypid, null) as type from pg_attribute
    where attrelid = 'maintenance_log'::regclass and attname in ('status', 'task_type') order by attname`;
  const [status = sql``, taskType = sql``] = types.map(({ type }) => sql.unsafe(type));
  await sql`
    insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
    select timestamp '2006-01-01' + make_interval(mins => i::integer + (i * 7919 % 10000)::integer),
      (array['PENDING', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']::${status}[])[case when i % 1000 = 0 then 4 else 1 + i % 7 % 3 end],
      (array['PRODUCTION', 'MAINTENANCE', 'ERROR']::${taskType}[])[1 + i % 5 % 3],
      'Entry ' || i || ': pressure, belts and sensors checked; all within limits, next inspection due in 30 days.',
      case when i <= ${smallAssets * logsOfSmallAsset}::bigint then 1 + i % ${smallAssets}::bigint
        when i % 4 = 0 then ${largeAsset}::bigint
        else ${smallAssets + 1}::bigint + i % ${assets - smallAssets - 1}::bigint end,
      1 + i % ${employees}::bigint
    from generate_series(${present + 1}::bigint, ${upTo}::bigint) i`;
  // In use, only autovacuum analyzes the tables of the trail.
  await sql.unsafe("vacuum analyze employee, asset, maintenance_log");
}
