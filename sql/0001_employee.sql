create table employee (
  id            bigint generated always as identity primary key,
  first_name    text not null check (char_length(first_name) between 2 and 50),
  last_name     text not null check (char_length(last_name) between 2 and 50),
  phone         text not null check (char_length(phone) between 6 and 20),
  email         text not null check (char_length(email) <= 254),
  -- The email in lower case, folded by the service so that it depends on no collation: the login name.
  email_folded  text not null constraint employee_email_key unique,
  role          text not null check (role in ('TECHNICIAN', 'MANAGER', 'ADMIN')),
  active        boolean not null default true,
  password_hash text not null
);
