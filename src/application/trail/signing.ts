import { openCheckpoint, signCheckpoint } from "../../domain/trail/checkpoint.ts";
import type { Ed25519 } from "../../domain/trail/crypto.ts";
import { fromBase64, readCount, TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import type { TreeHasher } from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import type { Clock, EventLog } from "../ports.ts";
import type { Numbering } from "./numbering.ts";
import type { StoredCheckpoint, TrailRepository } from "./trail-repository.ts";
import { extendsHead, type Head, type Tree } from "./tree.ts";

/** Where the last checkpoint is kept outside the database. Throws TrailError where that cannot be read or written. */
export interface RememberedNote {
  /** In words, for the operator. */
  readonly place: string;
  read(): Promise<string | undefined>;
  /** Resolves when the note would survive a crash of the machine. */
  write(note: string): Promise<void>;
}

export interface SigningPorts {
  readonly trail: TrailRepository;
  readonly hasher: TreeHasher;
  readonly ed25519: Pick<Ed25519, "sign" | "verify">;
  /** Undefined: nothing is signed. */
  readonly key: SignerKey | undefined;
  readonly remembered: RememberedNote | undefined;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly numbering: Pick<Numbering, "step" | "tree" | "confirm">;
}

/** A tree that was signed, or that this process would have signed if it had a key. */
export interface SignedTree extends Head {
  readonly note: string | undefined;
  /** Undefined where another process has signed it, before this one found that the stored trail does not extend it. */
  readonly tree: Tree | undefined;
  readonly at: Date;
}

const signMilliseconds = 1_000;
const retryMilliseconds = 10_000;
const announceMilliseconds = 60_000;
/** The database keeps one checkpoint for so many entries, or for so long, so that they take little space. */
const storedEntries = 1_000;
const storedMilliseconds = 3_600_000;

/** Heads that are known to be extended by the present tree. */
const mostHeads = 100;

/** The head that a note states. Its signature is not checked: the key may be another one by now. Throws TrailError. */
export function headOf(note: string): Head {
  const [, size = "", root = ""] = note.split("\n");
  return { size: readCount("tree size", size), root: fromBase64(root) };
}

/** The head that is remembered. Throws TrailError that says where, and what to do. */
export async function rememberedHead(remembered: RememberedNote | undefined): Promise<Head | undefined> {
  const note = await remembered?.read();
  try {
    return note === undefined ? undefined : headOf(note);
  } catch (error) {
    const { message } = error as Error;
    throw new TrailError(
      `${remembered?.place} has no checkpoint (it ${message}): put back the last one from the log or a backup, or run accept-trail`,
    );
  }
}

export const inWords = ({ size, root }: Head): string => `${size} ${toBase64(root)}`;

/** Signs the tree as it grows, as long as it extends what was signed before. */
export function makeSigning(ports: SigningPorts) {
  const { trail, hasher, ed25519, key, remembered, events, clock, numbering } = ports;
  const now = () => clock.now().getTime();
  let newest: SignedTree | undefined;
  let contradiction: string | undefined;
  /** A contradiction that no look at the heads can dispel. */
  let lasting: string | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let announced = { at: Number.NEGATIVE_INFINITY, size: -1 };
  let stored = { at: Number.NEGATIVE_INFINITY, size: -1 };
  /** The last checkpoint that this process has seen in the database. It can never go away. */
  let seen: StoredCheckpoint | undefined;
  /** Heads, in words, that trees of this lineage were found to extend. */
  let extended = { lineage: {}, heads: new Set<string>() };

  /** What was signed or seen before: outside the database if there is such a place, and in it. */
  async function heads(): Promise<readonly (readonly [where: string, head: Head | undefined])[]> {
    const before =
      remembered === undefined
        ? (["memory", newest?.note === undefined ? undefined : newest] as const)
        : (["TRAIL_STATE_FILE", await rememberedHead(remembered)] as const);
    return [before, ["database", seen]];
  }

  /**
   * What the tree does not extend, in words. Throws TrailError where the stored trail is not whole.
   *
   * @param last the last checkpoint in the database
   */
  async function contradictionOf(
    tree: Tree,
    last: StoredCheckpoint | undefined,
  ): Promise<string | undefined> {
    const kept = seen === undefined || seen.id === last?.id ? last : await trail.checkpoint(seen.id);
    if (seen !== undefined && kept?.note !== seen.note) {
      lasting = `database ${inWords(seen)}, which was removed or changed`;
    }
    if (lasting !== undefined) return lasting;
    seen = last;
    if (extended.lineage !== tree.lineage) extended = { lineage: tree.lineage, heads: new Set() };
    for (const [where, head] of await heads()) {
      if (head === undefined || (extended.heads.has(inWords(head)) && head.size <= tree.size)) continue;
      if (!(await extendsHead(trail, hasher, head, tree))) return `${where} ${inWords(head)}`;
      rememberExtended(head);
    }
    return undefined;
  }

  /** Forgetting costs no more than a consistency proof. */
  function rememberExtended(head: Head): void {
    if (extended.heads.size >= mostHeads) extended.heads.clear();
    extended.heads.add(inWords(head));
  }

  /** Notes what does not hold, if anything, and tells it once. */
  function conclude(found: string | undefined, head?: Head): void {
    if (found !== undefined && found !== contradiction) {
      events.error("trail broken", { signed: found, ...(head && { found: inWords(head) }) });
    }
    if (found === undefined && contradiction !== undefined) events.info("trail whole again");
    contradiction = found;
  }

  function announce({ size, note }: SignedTree): void {
    if (note === undefined || announced.size === size) return;
    announced = { at: now(), size };
    events.info("checkpoint", { size, note });
  }

  async function store({ size, root, note }: SignedTree): Promise<void> {
    if (note === undefined || stored.size === size) return;
    const id = await trail.addCheckpoint({ size, root, note });
    seen = { id, size, root, note };
    stored = { at: now(), size };
  }

  async function signNext(tree: Tree, signer: SignerKey): Promise<undefined> {
    const head = { size: tree.size, root: tree.root() };
    const note = signCheckpoint(head, signer, ed25519);
    // A standby that is promoted without these entries would contradict what was signed.
    await numbering.confirm();
    await remembered?.write(note);
    rememberExtended(head);
    const signed = { ...head, tree, note, at: clock.now() };
    if (tree.size - stored.size >= storedEntries || now() - stored.at >= storedMilliseconds)
      await store(signed);
    if (now() - announced.at >= announceMilliseconds) announce(signed);
    newest = signed;
  }

  /** What was signed last before this process, if its own key did: as it is remembered, or else as it is stored. */
  async function lastSigned(signer: SignerKey): Promise<SignedTree | undefined> {
    for (const read of [() => remembered?.read(), async () => (await trail.lastCheckpoint())?.note]) {
      try {
        const note = await read();
        if (note === undefined) continue;
        return { ...openCheckpoint(note, [signer], ed25519), tree: undefined, note, at: clock.now() };
      } catch {
        // What cannot be read, or has another signature, was not signed by this key.
      }
    }
    return undefined;
  }

  return {
    /** Signs the tree if it has grown and a second has passed since the last time. */
    async sign(): Promise<void> {
      const tree = numbering.tree();
      if (tree === undefined) return;
      if (newest?.tree?.size === tree.size && newest.tree.lineage === tree.lineage) return;
      if (now() - triedAt < (contradiction === undefined ? signMilliseconds : retryMilliseconds)) return;
      triedAt = now();
      if (key === undefined) {
        newest = { size: tree.size, root: tree.root(), tree, note: undefined, at: clock.now() };
        return;
      }
      let next = tree;
      let last = await trail.lastCheckpoint();
      let found = await examined(() => contradictionOf(next, last));
      if (found !== undefined) {
        // Another process may have numbered more, and signed a larger tree; by now an even larger one.
        last = await trail.lastCheckpoint();
        await numbering.step();
        next = numbering.tree() as Tree;
        found = await examined(() => contradictionOf(next, last));
      }
      found ??= await examined(() => signNext(next, key));
      if (found !== undefined) newest ??= await lastSigned(key);
      conclude(found, { size: next.size, root: next.root() });
    },

    /** Takes note that the stored trail is not whole. */
    async refuse(found: string): Promise<void> {
      if (key === undefined) return conclude(found);
      newest ??= await lastSigned(key);
      conclude(found);
    },

    /** Takes note that the stored trail is not what this process has signed, as answering a request has shown. */
    distrust(found: string): void {
      if (contradiction !== undefined || newest === undefined) return;
      lasting = found;
      conclude(found, newest);
    },

    /** At the stop: leaves the last checkpoint in the database and in the log. */
    async close(): Promise<void> {
      if (newest === undefined || contradiction !== undefined) return;
      announce(newest);
      await store(newest);
    },

    newest: () => newest,
    contradiction: () => contradiction,
  };
}

/** A trail that is not whole, or a note that cannot be read, is a contradiction too. */
async function examined(find: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof TrailError) return error.message;
    throw error;
  }
}
