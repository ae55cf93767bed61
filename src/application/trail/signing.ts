import { signCheckpoint } from "../../domain/trail/checkpoint.ts";
import type { Ed25519 } from "../../domain/trail/crypto.ts";
import { fromBase64, readCount, TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import type { TreeHasher } from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import type { Clock, EventLog } from "../ports.ts";
import type { TrailRepository } from "./trail-repository.ts";
import { extendsHead, type Head, type Tree } from "./tree.ts";

/** Where the last checkpoint is kept outside the database. */
export interface RememberedNote {
  read(): Promise<string | undefined>;
  /** Resolves when the note would survive a crash of the machine. */
  write(note: string): Promise<void>;
}

export interface SigningPorts {
  readonly trail: TrailRepository;
  readonly hasher: TreeHasher;
  readonly ed25519: Pick<Ed25519, "sign">;
  /** Undefined: nothing is signed. */
  readonly key: SignerKey | undefined;
  readonly remembered: RememberedNote | undefined;
  readonly events: EventLog;
  readonly clock: Clock;
}

/** A tree that this process has signed, or that it would have signed if it had a key. */
export interface SignedTree {
  readonly tree: Tree;
  readonly note: string | undefined;
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

/** The head that a note states. Its signature is not checked again: the service itself wrote the note. Throws TrailError. */
export function headOf(note: string): Head {
  const [, size = "", root = ""] = note.split("\n");
  return { size: readCount("tree size", size), root: fromBase64(root) };
}

export const inWords = ({ size, root }: Head): string => `${size} ${toBase64(root)}`;

/** Signs the tree as it grows, as long as it extends what was signed before. */
export function makeSigning(ports: SigningPorts) {
  const { trail, hasher, ed25519, key, remembered, events, clock } = ports;
  const now = () => clock.now().getTime();
  let newest: SignedTree | undefined;
  let contradiction: string | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let announced = { at: Number.NEGATIVE_INFINITY, size: -1 };
  let stored = { at: Number.NEGATIVE_INFINITY, size: -1 };
  /** Heads, in words, that trees of this lineage were found to extend. */
  let extended = { lineage: {}, heads: new Set<string>() };

  /** What was signed or seen before: outside the database if there is such a place, and in it. */
  async function heads(): Promise<readonly (readonly [where: string, head: Head])[]> {
    const note = await remembered?.read();
    const last = await trail.lastCheckpoint();
    const kept = note === undefined ? undefined : headOf(note);
    const own = newest?.note === undefined ? undefined : { size: newest.tree.size, root: newest.tree.root() };
    const before = remembered === undefined ? own : kept;
    return [
      ...(before === undefined ? [] : ([[remembered ? "TRAIL_STATE_FILE" : "memory", before]] as const)),
      ...(last === undefined ? [] : ([["database", last]] as const)),
    ];
  }

  /** What the tree does not extend, in words; reported once. */
  async function contradictionOf(tree: Tree): Promise<string | undefined> {
    if (extended.lineage !== tree.lineage) extended = { lineage: tree.lineage, heads: new Set() };
    for (const [where, head] of await heads()) {
      if (extended.heads.has(inWords(head)) && head.size <= tree.size) continue;
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

  function announce({ tree, note }: SignedTree): void {
    if (note === undefined || announced.size === tree.size) return;
    announced = { at: now(), size: tree.size };
    events.info("checkpoint", { size: tree.size, note });
  }

  async function store({ tree, note }: SignedTree): Promise<void> {
    if (note === undefined || stored.size === tree.size) return;
    await trail.addCheckpoint({ size: tree.size, root: tree.root(), note });
    stored = { at: now(), size: tree.size };
  }

  async function signNext(tree: Tree, signer: SignerKey): Promise<SignedTree> {
    const note = signCheckpoint({ size: tree.size, root: tree.root() }, signer, ed25519);
    await remembered?.write(note);
    rememberExtended({ size: tree.size, root: tree.root() });
    const signed = { tree, note, at: clock.now() };
    if (tree.size - stored.size >= storedEntries || now() - stored.at >= storedMilliseconds)
      await store(signed);
    if (now() - announced.at >= announceMilliseconds) announce(signed);
    return signed;
  }

  return {
    /**
     * Signs the tree if it has grown and a second has passed since the last time.
     *
     * @param grow takes over what other processes have numbered: they may have signed a larger tree
     */
    async offer(tree: Tree, grow: () => Promise<Tree>): Promise<void> {
      if (newest?.tree.size === tree.size && newest.tree.lineage === tree.lineage) return;
      if (now() - triedAt < (contradiction === undefined ? signMilliseconds : retryMilliseconds)) return;
      triedAt = now();
      if (key === undefined) {
        newest = { tree, note: undefined, at: clock.now() };
        return;
      }
      let next = tree;
      let found = await examined(() => contradictionOf(next));
      if (found !== undefined) {
        next = await grow();
        found = await examined(() => contradictionOf(next));
      }
      if (found !== undefined && found !== contradiction) {
        events.error("trail broken", {
          signed: found,
          found: inWords({ size: next.size, root: next.root() }),
        });
      }
      if (found === undefined && contradiction !== undefined) events.info("trail whole again");
      contradiction = found;
      if (found === undefined) newest = await signNext(next, key);
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
