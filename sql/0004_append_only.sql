-- Maintenance logs are an audit trail: nobody changes or removes one, the owner and superusers included.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: what has been recorded stays', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

create trigger maintenance_log_append_only
  before update or delete or truncate on maintenance_log
  for each statement execute function refuse_change();

-- Also where a session has switched ordinary triggers off (session_replication_role = replica).
alter table maintenance_log enable always trigger maintenance_log_append_only;

-- Employees and assets are deactivated, never deleted.
create trigger employee_never_deleted
  before delete or truncate on employee
  for each statement execute function refuse_change();

create trigger asset_never_deleted
  before delete or truncate on asset
  for each statement execute function refuse_change();
