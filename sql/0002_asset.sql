create table asset (
  id          bigint generated always as identity primary key,
  name        text not null check (char_length(name) between 1 and 100),
  description text not null check (char_length(description) <= 2000),
  active      boolean not null default true
);
