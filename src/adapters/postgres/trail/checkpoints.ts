import type { Checkpoints } from "../../../application/trail/ports.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

export function makeCheckpoints({ query }: Database): Checkpoints {
  return {
    async last() {
      const [last] = await query<{ note: string | null }>(
        sql`select note from trail_checkpoint order by id desc limit 1`,
      );
      // An owner of the tables can drop the "not null".
      return last && (last.note ?? "");
    },

    async add(note) {
      await query(sql`insert into trail_checkpoint (note) values (${note})`);
    },

    async accept(note, { reason, refused, accepted }) {
      await query(
        sql`
          with added as (insert into trail_checkpoint (note) values (${note}))
          insert into trail_acceptance (reason, refused, accepted) values (${reason}, ${refused}, ${accepted})`,
      );
    },

    async confirm() {
      // An entry can be seen before a synchronous standby has it, when waiting for that was cut short. The commit of a
      // row lock waits for all that came before.
      await query(sql`select id from employee order by id limit 1 for key share`);
    },
  };
}
