-- As in 0010: holds the bounds of ids against the rows that are there already, without the lock that adding them took.
do $$
declare
  added record;
begin
  for added in
    select conrelid::regclass as on_table, conname as name from pg_constraint
    where not convalidated and conname in (
      'employee_id_bound', 'asset_id_bound', 'maintenance_log_id_bound', 'employee_event_id_bound', 'asset_event_id_bound'
    )
  loop
    begin
      execute format('alter table %s validate constraint %I', added.on_table, added.name);
    exception
      when check_violation then raise notice 'a row of % breaks %', added.on_table, added.name;
    end;
  end loop;
end
$$;
