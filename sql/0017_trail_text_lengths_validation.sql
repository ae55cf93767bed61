-- A log never changes, nor does a checkpoint: one that is too long stays, and the constraint then holds for new ones only.
do $$
begin
  begin
    alter table maintenance_log validate constraint maintenance_log_performed_by_name_length;
  exception
    when check_violation then raise notice 'a log breaks maintenance_log_performed_by_name_length';
  end;
  begin
    alter table trail_checkpoint validate constraint trail_checkpoint_note_length;
  exception
    when check_violation then raise notice 'a checkpoint breaks trail_checkpoint_note_length';
  end;
end
$$;
