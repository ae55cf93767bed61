-- Conditions that always hold make these two partial: only a list that states the condition is walked along the index.
-- The planner would else walk all logs, or all of a status, to meet those of one asset, which may be far away.
drop index maintenance_log_by_date;
create index maintenance_log_by_date on maintenance_log (performed_date desc, id desc) where id > 0;

-- A list of one status must not walk the whole trail for one page when the status is rare.
create index maintenance_log_by_status on maintenance_log (status, performed_date desc, id desc)
  where id > -1; -- which does not say id > 0, and so leaves the index by date out

-- With status and task type, so that filters are decided within the index, before any row is fetched.
drop index maintenance_log_by_asset;
create index maintenance_log_by_asset
  on maintenance_log (asset_id, performed_date desc, id desc, status, task_type);
