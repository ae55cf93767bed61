import type { Checkpoints, NewCheckpoint } from "../../../application/trail/ports.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

const hex = (bytes: Uint8Array | undefined): string | null =>
  bytes === undefined ? null : Buffer.from(bytes).toString("hex");

export function makeCheckpoints({ query }: Database): Checkpoints {
  return {
    async last() {
      // An owner of the tables can drop a "not null": what is empty then contradicts every tree.
      const [last] = await query<Omit<NewCheckpoint, "root"> & { readonly root: string }>(
        sql`
          select coalesce(size, ${Number.MAX_SAFE_INTEGER}::bigint) as size, coalesce(encode(root, 'hex'), '') as root, coalesce(note, '') as note
          from trail_checkpoint order by id desc limit 1`,
      );
      return last && { ...last, root: Buffer.from(last.root, "hex") };
    },

    async add({ size, root, note }) {
      await query(
        sql`insert into trail_checkpoint (size, root, note) values (${size}, decode(${hex(root)}, 'hex'), ${note})`,
      );
    },

    async accept(reason, refused, { size, root, note }) {
      await query(
        sql`
          with accepted as (
            insert into trail_checkpoint (size, root, note) values (${size}, decode(${hex(root)}, 'hex'), ${note})
            returning size, root
          )
          insert into trail_acceptance (reason, refused_size, refused_root, accepted_size, accepted_root)
          select ${reason}, ${refused?.size ?? null}::bigint, decode(${hex(refused?.root)}::text, 'hex'), size, root
          from accepted`,
      );
    },

    async confirm() {
      // An entry can be seen before a synchronous standby has it, when waiting for that was cut short. The commit of a
      // row lock waits for all that came before.
      await query(sql`select id from employee order by id limit 1 for key share`);
    },
  };
}
