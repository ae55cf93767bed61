-- What decides whether an employee's tokens still work.
alter table employee
  -- Part of every token that the service signs; a token with another number is dead.
  add column token_version      integer not null default 1,
  -- The jti of the token that made the latest password change: it lives on, until something else is revoked.
  add column surviving_token_id text,
  -- Seconds since the epoch: a token that carries no version must have been issued then or later.
  add column tokens_valid_from  bigint not null default floor(extract(epoch from now()));

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

-- In the database, so that no way of changing an employee can forget it.
create trigger employee_revocation
  before update on employee
  for each row
  when (
    old.role <> new.role
    or old.email_folded <> new.email_folded
    or old.password_hash <> new.password_hash
    or (old.active and not new.active)
  )
  execute function revoke_tokens();
