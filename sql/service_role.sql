-- What `serve` may do, and no more. Every `migrate` runs this after the migrations, as the owner of the tables.
do $$
begin
  create role maintenance_log_service nologin;
exception
  -- It is there already, was made this moment by another migrate, or is for an administrator to make.
  when duplicate_object or unique_violation or insufficient_privilege then null;
end
$$;

grant select on schema_migration to maintenance_log_service;
grant select, insert on employee, asset, maintenance_log to maintenance_log_service;
grant usage on sequence maintenance_log_id_seq to maintenance_log_service;
grant update (
  first_name, last_name, phone, email, email_folded, role, active, password_hash, surviving_token_id
) on employee to maintenance_log_service;
grant update (active) on asset to maintenance_log_service;
