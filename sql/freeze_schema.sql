-- Optional, for a superuser, after migrate: from now on nobody can change the schema of this database, the owner of the
-- tables included, until a superuser says: alter event trigger schema_frozen disable
create function refuse_schema_change() returns event_trigger language plpgsql as $$
begin
  -- It changes no definition, and is needed after a change of collations; PostgreSQL 17 and newer ask here.
  if tg_tag = 'REINDEX' then
    return;
  end if;
  -- A code of its own, by which migrate knows it.
  raise exception '% is refused: the schema is frozen', tg_tag using errcode = 'object_not_in_prerequisite_state';
end
$$;

create event trigger schema_frozen on ddl_command_start execute function refuse_schema_change();
-- Also where a session has switched ordinary triggers off.
alter event trigger schema_frozen enable always;
