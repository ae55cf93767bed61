create table asset (
  id          bigint generated always as identity primary key check (id between 1 and 4503599627370495),
  name        text not null check (char_length(name) between 1 and 100),
  description text not null check (char_length(description) <= 2000),
  active      boolean not null default true,
  asked_by    bigint,
  changed_by  bigint
);

-- The states of assets that the trail covers.
create table asset_event (
  id          bigint generated always as identity primary key check (id between 1 and 4503599627370495),
  asset_id    bigint not null references asset,
  name        text not null,
  description text not null,
  active      boolean not null,
  changed_by  bigint references employee,
  recorded_at timestamptz not null default now()
);
create index asset_event_asset on asset_event (asset_id, id);

create function record_asset() returns trigger language plpgsql as $$
begin
  if not exists (
    select from pg_catalog.pg_class own join pg_catalog.pg_class other using (relnamespace)
    where own.oid = tg_relid and other.oid = 'asset_event'::regclass
  ) then
    raise exception 'asset_event is not the table beside %', tg_table_name using errcode = 'restrict_violation';
  end if;
  insert into asset_event (asset_id, name, description, active, changed_by)
  values (new.id, new.name, new.description, new.active, new.changed_by);
  return null;
end
$$;

create trigger asset_caller before insert or update on asset for each row execute function take_caller();
create trigger asset_created after insert on asset for each row execute function record_asset();
create trigger asset_changed after update on asset for each row
  when (old.name <> new.name or old.description <> new.description or old.active <> new.active)
  execute function record_asset();
-- Assets are deactivated, never deleted.
create trigger asset_never_deleted before delete or truncate on asset
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on asset_event
  for each statement execute function refuse_change();

alter table asset
  enable always trigger asset_caller,
  enable always trigger asset_created,
  enable always trigger asset_changed,
  enable always trigger asset_never_deleted;
alter table asset_event enable always trigger append_only;
