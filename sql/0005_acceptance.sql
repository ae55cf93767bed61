-- An acceptance is a signed note, so that the owner of the tables cannot make one. Rows from before have the other columns
-- and no note: they are kept, and no process goes by them.
alter table trail_acceptance
  add column note text check (octet_length(note) <= 100000),
  alter column reason drop not null,
  alter column refused drop not null,
  alter column accepted drop not null,
  add check (note is not null or reason is not null);
