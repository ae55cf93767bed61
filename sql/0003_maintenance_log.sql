create type log_status as enum ('PENDING', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED');
create type task_type as enum ('PRODUCTION', 'MAINTENANCE', 'ERROR');

create table maintenance_log (
  id                       bigint generated always as identity primary key check (id between 1 and 4503599627370495),
  -- What YYYY-MM-DDTHH:MM:SS can say: years of four digits, and no infinity.
  performed_date           timestamp without time zone not null
    check (performed_date >= '0001-01-01' and performed_date < '10000-01-01'),
  status                   log_status not null,
  task_type                task_type not null,
  comment                  text not null check (char_length(comment) <= 10000),
  asset_id                 bigint not null references asset,
  performed_by_employee_id bigint not null references employee,
  -- The performer's name when the log was written: an employee may be renamed later. Null in logs from before the trail.
  performed_by_name        text check (char_length(performed_by_name) <= 101),
  -- Null in logs from before the trail.
  recorded_at              timestamptz default now(),
  -- Part of the log that it made, so that both are committed or neither is. Visible ASCII. A new version of a collation other
  -- than C would break the index.
  idempotency_key          text collate "C"
    check (char_length(idempotency_key) between 1 and 255 and idempotency_key ~ '^[!-~]+$')
);

create unique index maintenance_log_idempotency_key
  on maintenance_log (performed_by_employee_id, idempotency_key) where idempotency_key is not null;

-- Indexes in the order of the lists. A list that a status or a task type filters merges a list of each status and task type,
-- and so does every list of a performer, to save an index. Conditions that always hold make three indexes partial: only a list
-- that states the condition is read along the index. The planner would else read all logs to meet those of one asset,
-- which may be far away.
create index maintenance_log_by_date on maintenance_log (performed_date desc, id desc) where id > 0;
create index maintenance_log_by_asset on maintenance_log (asset_id, performed_date desc, id desc) where id > -1;
create index maintenance_log_by_status
  on maintenance_log (status, task_type, performed_date desc, id desc) where id > -1;
create index maintenance_log_by_asset_and_status
  on maintenance_log (asset_id, status, task_type, performed_date desc, id desc);
create index maintenance_log_by_performer_and_status
  on maintenance_log (performed_by_employee_id, status, task_type, performed_date desc, id desc);

create trigger append_only before update or delete or truncate on maintenance_log
  for each statement execute function refuse_change();
alter table maintenance_log enable always trigger append_only;
