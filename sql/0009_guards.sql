-- Also where a session has switched ordinary triggers off (session_replication_role = replica).
alter table employee
  enable always trigger employee_never_deleted,
  enable always trigger employee_revocation;
alter table asset enable always trigger asset_never_deleted;

-- What the service relies on. The next migration looks at the rows that are there already: it does so without the lock
-- that this one takes.
alter table employee add constraint employee_id_positive check (id > 0) not valid;
alter table asset add constraint asset_id_positive check (id > 0) not valid;
alter table maintenance_log
  -- The partial indexes of the lists have no other ids.
  add constraint maintenance_log_id_positive check (id > 0) not valid,
  -- What YYYY-MM-DDTHH:MM:SS can say: years of four digits, and no infinity.
  add constraint maintenance_log_performed_date_range
    check (performed_date >= '0001-01-01' and performed_date < '10000-01-01') not valid,
  -- Visible ASCII.
  add constraint maintenance_log_idempotency_key_alphabet
    check (idempotency_key collate "C" ~ '^[!-~]+$') not valid;
