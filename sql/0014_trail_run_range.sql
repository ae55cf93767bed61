-- An entry has an index, and is of a record of one of the three kinds with an id that a record can have. The next
-- migration looks at what is there already: it does so without the lock that this one takes.
alter table trail_run
  add constraint trail_run_first_index check (first_index >= 0 and first_index < 4503599627370496) not valid,
  add constraint trail_run_record_group
    check (record_group >> 48 between 0 and 2 and record_group & 281474976710655 < 17592186044416) not valid;
