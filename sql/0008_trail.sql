-- The provable trail: what the service numbers, hashes and signs, so that a change of what has been recorded shows.

-- Both are null in logs from before.
alter table maintenance_log
  add column recorded_at       timestamptz,
  -- The name of the performer at that moment: an employee may be renamed later.
  add column performed_by_name text;
alter table maintenance_log alter column recorded_at set default now();

-- Logs never change; employees and assets do. Each of their states that the trail covers is a row of its own.
create table employee_event (
  id          bigint generated always as identity primary key,
  employee_id bigint not null references employee,
  role        text not null,
  active      boolean not null,
  -- The employee who asked for it; null for the operator, and for what was there before the trail.
  changed_by  bigint references employee,
  recorded_at timestamptz not null default now()
);
create table asset_event (
  id          bigint generated always as identity primary key,
  asset_id    bigint not null references asset,
  name        text not null,
  description text not null,
  active      boolean not null,
  changed_by  bigint references employee,
  recorded_at timestamptz not null default now()
);
create index employee_event_employee on employee_event (employee_id, id);
create index asset_event_asset on asset_event (asset_id, id);

-- A statement that changes a record gives its caller as asked_by. The trigger moves it to changed_by and leaves null
-- behind, so that a later statement that gives none is not attributed to this caller.
alter table employee add column asked_by bigint, add column changed_by bigint;
alter table asset    add column asked_by bigint, add column changed_by bigint;

create function take_caller() returns trigger language plpgsql as $$
begin
  new.changed_by := new.asked_by;
  new.asked_by := null;
  return new;
end
$$;

create function record_employee() returns trigger language plpgsql as $$
begin
  insert into employee_event (employee_id, role, active, changed_by)
  values (new.id, new.role, new.active, new.changed_by);
  return null;
end
$$;

create function record_asset() returns trigger language plpgsql as $$
begin
  insert into asset_event (asset_id, name, description, active, changed_by)
  values (new.id, new.name, new.description, new.active, new.changed_by);
  return null;
end
$$;

-- In the database, so that no way of changing an employee or an asset can forget it.
create trigger employee_caller before insert or update on employee for each row execute function take_caller();
create trigger asset_caller before insert or update on asset for each row execute function take_caller();
create trigger employee_created after insert on employee for each row execute function record_employee();
create trigger asset_created after insert on asset for each row execute function record_asset();
create trigger employee_changed after update on employee for each row
  when (old.role <> new.role or old.active <> new.active) execute function record_employee();
create trigger asset_changed after update on asset for each row
  when (old.name <> new.name or old.description <> new.description or old.active <> new.active)
  execute function record_asset();

-- What is there already gets one entry each.
insert into employee_event (employee_id, role, active) select id, role, active from employee order by id;
insert into asset_event (asset_id, name, description, active)
  select id, name, description, active from asset order by id;

-- The entries of the trail, many to a row: a row of its own for each would take three times the space. A run has
-- consecutive indexes, which lie in one tile of 256 hashes, and its records are of one group of 256 ids.
create table trail_run (
  -- Of its first entry. Whoever writes a run states where the trail ends; of two who state the same, one fails here.
  first_index  bigint primary key with (fillfactor = 100),
  -- Of the records, id / 256, and their kind in the bits from 48 on: 0 logs, 1 employee_event, 2 asset_event.
  record_group bigint not null,
  -- A byte for each entry: id % 256 of its record.
  places       bytea not null check (length(places) between 1 and 256),
  -- The leaf hashes of RFC 6962, 32 bytes for each entry.
  hashes       bytea not null check (length(hashes) = 32 * length(places))
);
-- Hashes do not compress.
alter table trail_run alter column hashes set storage external, alter column places set storage external;
create index trail_run_record_group on trail_run (record_group);

-- The same as rows: which record has which index and hash.
create view trail_entry as
  select first_index + place as index,
    (array['log', 'employee', 'asset'])[1 + (record_group >> 48)] as kind,
    (record_group & 281474976710655) * 256 + get_byte(places, place) as record_id,
    substr(hashes, place * 32 + 1, 32) as hash
  from trail_run cross join lateral generate_series(0, length(places) - 1) as place;

-- Full tiles (C2SP tlog-tiles), each known by the root of its 256 hashes: level 0 has the hashes of entries, a higher
-- level the roots of the tiles below it.
create table trail_tile (
  level      smallint not null,
  index      bigint not null,
  root       bytea not null check (length(root) = 32),
  -- The roots of its 16 subtrees of 16 hashes, so that a proof need not hash 256.
  sixteenths bytea not null check (length(sixteenths) = 512),
  primary key (level, index)
);

create table trail_checkpoint (
  id          bigint generated always as identity primary key,
  size        bigint not null,
  root        bytea not null check (length(root) = 32),
  -- The signed note.
  note        text not null,
  recorded_at timestamptz not null default now()
);

-- An operator's word that the trail goes on with another history than the one that was signed.
create table trail_acceptance (
  id            bigint generated always as identity primary key,
  reason        text not null check (char_length(reason) between 1 and 1000),
  refused_size  bigint,
  refused_root  bytea,
  accepted_size bigint not null,
  accepted_root bytea not null,
  recorded_at   timestamptz not null default now()
);

-- How far the background reading is: parts of the records, in the order in which they were read.
create table trail_reading (
  id          bigint primary key,
  -- The record_group that the part begins with; the kind 3 stands for the tiles.
  first_group bigint not null,
  mismatches  integer not null,
  recorded_at timestamptz not null default now()
);

do $$
declare
  name text;
begin
  foreach name in array array[
    'employee_event', 'asset_event', 'trail_run', 'trail_tile', 'trail_checkpoint', 'trail_acceptance', 'trail_reading'
  ] loop
    execute format(
      'create trigger append_only before update or delete or truncate on %I for each statement execute function refuse_change()',
      name);
    execute format('alter table %I enable always trigger append_only', name);
  end loop;
end
$$;

-- Also where a session has switched ordinary triggers off.
alter table employee
  enable always trigger employee_caller, enable always trigger employee_created, enable always trigger employee_changed;
alter table asset
  enable always trigger asset_caller, enable always trigger asset_created, enable always trigger asset_changed;
