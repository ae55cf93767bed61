-- What `serve` may do, and no more. Every `migrate` runs this after the migrations, as the owner of the tables.
do $$
begin
  create role maintenance_log_service nologin;
exception
  -- It is there already, was made this moment by another migrate, or is for an administrator to make.
  when duplicate_object or unique_violation or insufficient_privilege then null;
end
$$;

-- The role of any other service of this server may connect to a new database, and make temporary tables and large objects in it.
-- Each is for the owner of the database, or a superuser, to revoke: `check` names what is left. One that fails undoes no other.
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
exception when insufficient_privilege then null;
end
$$;
do $$
begin
  revoke execute on function pg_catalog.lo_from_bytea(oid, bytea), pg_catalog.lo_create(oid), pg_catalog.lo_creat(integer) from public;
exception when insufficient_privilege then null;
end
$$;

grant select on schema_migration to maintenance_log_service;
grant select, insert on employee, asset to maintenance_log_service;
grant select on maintenance_log to maintenance_log_service;
-- All columns but recorded_at, so that only the database says when it took a log.
revoke insert on maintenance_log from maintenance_log_service;
grant insert (
  id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id, idempotency_key, performed_by_name
) on maintenance_log to maintenance_log_service;
grant usage on sequence maintenance_log_id_seq to maintenance_log_service;
grant update (
  first_name, last_name, phone, email, email_folded, role, active, password_hash, surviving_token_id, asked_by
) on employee to maintenance_log_service;
grant update (active, asked_by) on asset to maintenance_log_service;

grant select on employee_event, asset_event to maintenance_log_service;
grant insert (employee_id, role, active, changed_by) on employee_event to maintenance_log_service;
grant insert (asset_id, name, description, active, changed_by) on asset_event to maintenance_log_service;
-- Which ids the database has given out: for the trail, and for the backup, which dumps the database as this role.
grant select on sequence employee_id_seq, asset_id_seq, maintenance_log_id_seq, employee_event_id_seq,
  asset_event_id_seq, trail_checkpoint_id_seq, trail_acceptance_id_seq to maintenance_log_service;
grant select, insert on trail_entry, trail_node, trail_checkpoint, trail_acceptance
  to maintenance_log_service;
