create table maintenance_log (
  id                       bigint generated always as identity primary key,
  performed_date           timestamp without time zone not null,
  status                   text not null check (status in ('PENDING', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED')),
  task_type                text not null check (task_type in ('PRODUCTION', 'MAINTENANCE', 'ERROR')),
  comment                  text not null check (char_length(comment) <= 10000),
  asset_id                 bigint not null references asset,
  performed_by_employee_id bigint not null references employee
);

-- One index for each list, in the list's own order.
create index maintenance_log_by_date on maintenance_log (performed_date desc, id desc);
create index maintenance_log_by_asset on maintenance_log (asset_id, performed_date desc, id desc);
create index maintenance_log_by_performer on maintenance_log (performed_by_employee_id, performed_date desc, id desc);
