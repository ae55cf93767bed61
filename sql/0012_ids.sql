-- JavaScript tells whole numbers apart up to 2^53, and the trail numbers records with ids below 2^52. No sequence comes
-- near that. A row that has another id already keeps it, and verify --database names it.
alter table employee add constraint employee_id_bound check (id < 4503599627370496) not valid;
alter table asset add constraint asset_id_bound check (id < 4503599627370496) not valid;
alter table maintenance_log add constraint maintenance_log_id_bound check (id < 4503599627370496) not valid;
alter table employee_event add constraint employee_event_id_bound check (id between 1 and 4503599627370495) not valid;
alter table asset_event add constraint asset_event_id_bound check (id between 1 and 4503599627370495) not valid;
