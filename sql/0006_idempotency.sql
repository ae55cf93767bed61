-- The key is part of the log that it made, so that both are committed or neither is.
alter table maintenance_log
  add column idempotency_key text check (char_length(idempotency_key) between 1 and 255);

create unique index maintenance_log_idempotency_key
  on maintenance_log (performed_by_employee_id, idempotency_key) where idempotency_key is not null;
