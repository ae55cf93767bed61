-- The lower case of the Greek letter Σ is σ, or ς at the end of a word. The service folds both to σ now. Where several
-- employees have emails that are the same then, one at most can be found by it: the others keep what they have, and
-- log in again when an ADMIN has given them another email.
update employee set email_folded = replace(email_folded, 'ς', 'σ')
where id in (
  select min(id) from employee
  group by replace(email_folded, 'ς', 'σ')
  having bool_and(email_folded like '%ς%')
);
