-- Nobody changes or removes what has been recorded, the owner of the tables and superusers included.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: what has been recorded stays', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

-- A statement that changes an employee or an asset gives its caller as asked_by. The trigger moves it to changed_by and
-- leaves null behind, so that a later statement that gives none is not attributed to this caller.
create function take_caller() returns trigger language plpgsql as $$
begin
  new.changed_by := new.asked_by;
  new.asked_by := null;
  return new;
end
$$;

create table employee (
  -- JavaScript tells whole numbers apart up to 2^53.
  id                 bigint generated always as identity primary key check (id between 1 and 4503599627370495),
  first_name         text not null check (char_length(first_name) between 2 and 50),
  last_name          text not null check (char_length(last_name) between 2 and 50),
  phone              text not null check (char_length(phone) between 6 and 20),
  email              text not null check (char_length(email) <= 254),
  -- The login name: what the service makes of the email to compare it (emailKey of src/domain/employee.ts), compared
  -- byte by byte: a new version of a collation cannot break the index.
  email_folded       text collate "C" not null constraint employee_email_key unique,
  role               text not null check (role in ('TECHNICIAN', 'MANAGER', 'ADMIN')),
  active             boolean not null default true,
  password_hash      text not null,
  -- Part of every token that the service signs; a token with another number is dead.
  token_version      integer not null default 1,
  -- The jti of the token that made the latest password change: it lives on, until something else is revoked.
  surviving_token_id text,
  -- Seconds since the epoch: a token must have been issued then or later.
  tokens_valid_from  bigint not null default floor(extract(epoch from now())),
  asked_by           bigint,
  changed_by         bigint
);

-- The states of employees that the trail covers.
create table employee_event (
  id          bigint generated always as identity primary key check (id between 1 and 4503599627370495),
  employee_id bigint not null references employee,
  role        text not null,
  active      boolean not null,
  -- The employee who asked for the change; null for the operator.
  changed_by  bigint references employee,
  recorded_at timestamptz not null default now()
);
create index employee_event_employee on employee_event (employee_id, id);

create function revoke_tokens() returns trigger language plpgsql as $$
begin
  new.token_version := old.token_version + 1;
  -- This very second counts as before: a token of it may be older than the change.
  new.tokens_valid_from := floor(extract(epoch from now())) + 1;
  if new.password_hash = old.password_hash then
    new.surviving_token_id := null;
  end if;
  return new;
end
$$;

-- Refuses a temporary table, or another one of the same name, in place of the one beside the table whose trigger runs. In a
-- restore or a logical replication, whose search path is empty, this fails, and adds no record beside those that are copied.
create function record_employee() returns trigger language plpgsql as $$
begin
  if not exists (
    select from pg_catalog.pg_class own join pg_catalog.pg_class other using (relnamespace)
    where own.oid = tg_relid and other.oid = 'employee_event'::regclass
  ) then
    raise exception 'employee_event is not the table beside %', tg_table_name using errcode = 'restrict_violation';
  end if;
  insert into employee_event (employee_id, role, active, changed_by)
  values (new.id, new.role, new.active, new.changed_by);
  return null;
end
$$;

-- Triggers, so that no way of changing an employee can forget one of these rules.
create trigger employee_caller before insert or update on employee for each row execute function take_caller();
create trigger employee_revocation before update on employee for each row
  when (
    old.role <> new.role
    or old.email_folded <> new.email_folded
    or old.password_hash <> new.password_hash
    or (old.active and not new.active)
  )
  execute function revoke_tokens();
create trigger employee_created after insert on employee for each row execute function record_employee();
create trigger employee_changed after update on employee for each row
  when (old.role <> new.role or old.active <> new.active) execute function record_employee();
-- Employees are deactivated, never deleted.
create trigger employee_never_deleted before delete or truncate on employee
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on employee_event
  for each statement execute function refuse_change();

-- Always: also where a session has switched ordinary triggers off (session_replication_role = replica).
alter table employee
  enable always trigger employee_caller,
  enable always trigger employee_revocation,
  enable always trigger employee_created,
  enable always trigger employee_changed,
  enable always trigger employee_never_deleted;
alter table employee_event enable always trigger append_only;
