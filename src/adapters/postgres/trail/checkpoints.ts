import type { Checkpoints } from "../../../application/trail/ports.ts";
import { makeConfirmReads } from "../batching/confirm.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

export function makeCheckpoints({ query }: Database): Checkpoints {
  return {
    async last() {
      // An owner of the tables can drop the "not null".
      const [last] = await query<{ note: string }>(sql`
        select coalesce(note, '') as note from trail_checkpoint order by id desc limit 1`);
      return last?.note;
    },

    async add(note) {
      await query(sql`insert into trail_checkpoint (note) values (${note})`);
    },

    async accept(note, { reason, refused, accepted }) {
      await query(sql`
        with added as (insert into trail_checkpoint (note) values (${note}))
        insert into trail_acceptance (reason, refused, accepted) values (${reason}, ${refused}, ${accepted})`);
    },

    confirm: makeConfirmReads({ query }),
  };
}
