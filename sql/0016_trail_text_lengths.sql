-- The service writes no longer ones, but its role could: an entry would not fit into a bundle, and a checkpoint is read as a
-- whole. The next migration looks at what is there already: it does so without the lock that this one takes.
alter table maintenance_log
  add constraint maintenance_log_performed_by_name_length check (char_length(performed_by_name) <= 101) not valid;
alter table trail_checkpoint
  add constraint trail_checkpoint_note_length check (octet_length(note) <= 100000) not valid;
