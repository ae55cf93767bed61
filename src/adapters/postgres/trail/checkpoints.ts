import type { Checkpoints } from "../../../application/trail/ports.ts";
import { makeConfirmReads } from "../batching/confirm.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

export function makeCheckpoints({ query }: Database): Checkpoints {
  return {
    async newest(most) {
      // An owner of the tables can drop the "not null".
      const found = await query<{ note: string }>(sql`
        select coalesce(note, '') as note from trail_checkpoint order by id desc limit ${most}`);
      return found.map(({ note }) => note);
    },

    async add(note) {
      await query(sql`insert into trail_checkpoint (note) values (${note})`);
    },

    async accept(acceptance, checkpoint) {
      await query(sql`
        with added as (insert into trail_checkpoint (note) values (${checkpoint}))
        insert into trail_acceptance (note) values (${acceptance})`);
    },

    async acceptancesWith(line) {
      const found = await query<{ note: string }>(sql`
        select note from trail_acceptance where strpos(note, ${`\n${line}\n`}) > 0 order by id desc limit 100`);
      return found.map(({ note }) => note);
    },

    confirm: makeConfirmReads({ query }),
  };
}
