-- The provable trail: what the service numbers, hashes and signs, so that a change of what has been recorded shows.

-- What an entry stands for: a row of maintenance_log, employee_event or asset_event.
create type trail_kind as enum ('employee', 'asset', 'log');

-- The database refuses an index that is taken, and a second entry of a record.
create table trail_entry (
  index     bigint primary key check (index between 0 and 4503599627370495),
  record_id bigint not null,
  kind      trail_kind not null,
  -- The leaf hash of RFC 6962, of the record's entry as it was when it got its index.
  hash      bytea not null check (length(hash) = 32),
  unique (kind, record_id)
);

-- The hashes of perfect subtrees of the entries, on every fourth level: 4 has those of 16 entries each, 8 those of 256.
create table trail_node (
  level smallint not null,
  index bigint not null,
  hash  bytea not null check (length(hash) = 32),
  primary key (level, index)
);

create table trail_checkpoint (
  id          bigint generated always as identity primary key,
  -- The signed note: its lines state the size and the root hash.
  note        text not null check (octet_length(note) <= 100000),
  recorded_at timestamptz not null default now()
);

-- An operator's word that the trail goes on with another history than the one that was signed.
create table trail_acceptance (
  id          bigint generated always as identity primary key,
  reason      text not null check (char_length(reason) between 1 and 1000),
  -- Heads: a size and a root hash in base64; "none" where nothing was signed.
  refused     text not null,
  accepted    text not null,
  recorded_at timestamptz not null default now()
);

do $$
declare
  name text;
begin
  foreach name in array array['trail_entry', 'trail_node', 'trail_checkpoint', 'trail_acceptance'] loop
    execute format(
      'create trigger append_only before update or delete or truncate on %I for each statement execute function refuse_change()',
      name);
    execute format('alter table %I enable always trigger append_only', name);
  end loop;
end
$$;
