import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import { type Frontier, type Hash, hashLength } from "../../domain/trail/merkle.ts";
import { ReportLimit } from "./condition.ts";
import type { Numbered, TrailPorts } from "./ports.ts";
import {
  mostRecords,
  needsXid,
  next,
  nothingKnown,
  type Seen,
  type Settling,
  type Todo,
  windowSize,
} from "./settling.ts";
import type { KnownHead } from "./signing.ts";
import { makeGrowingTree, makeStoredTree } from "./tree.ts";

/** The stored trail, as far as this process knows it. */
interface KnownTrail {
  readonly tree: Frontier;
  /** Its size when it was read from the database. */
  readonly readSize: number;
  readonly lastHash: Hash;
  readonly server: string;
}

/** How often a poll numbers again behind another process: a request waits for what was committed when it came. */
const mostAttempts = 5;

type Late = { readonly records: number; readonly entry: number | undefined };
const noneLate: Late = { records: 0, entry: undefined };

/**
 * Gives records their numbers. Any number of processes may do so at once: each adds entries only where it knows the end of
 * the trail, and the database refuses an index that is taken.
 */
export class Numbering {
  readonly #ports: Pick<TrailPorts, "ledger" | "records" | "clock" | "events">;
  readonly #reports: ReportLimit;
  /** How many records were numbered late since the last report, and the entry of the first. */
  #late: Late = noneLate;
  #known: KnownTrail | undefined;
  #settling: Settling = nothingKnown;

  constructor(ports: Pick<TrailPorts, "ledger" | "records" | "clock" | "events">) {
    this.#ports = ports;
    this.#reports = new ReportLimit(ports.clock);
  }

  /**
   * Takes over what other processes have numbered and numbers what is new. Resolves with true where there is more to do than
   * one step should do. Throws TrailError where the stored trail is not whole.
   */
  async step(): Promise<boolean> {
    const { records, clock } = this.#ports;
    const { size } = (await this.#follow()).tree;
    const horizon = await records.horizon(needsXid(this.#settling, clock.elapsed()));
    // The time after the statement, which may have waited: an id that it found issued was issued before that.
    let seen: Seen = { kind: "horizon", horizon, size, now: clock.elapsed() };
    for (;;) {
      const { state, todo } = next(this.#settling, seen);
      this.#settling = state;
      if (todo.kind === "end") return todo.isMore;
      seen = await this.#do(todo);
    }
  }

  /** Reads the end of the trail, and takes over what other processes have numbered. */
  readHead = async (): Promise<KnownHead> => headOf(await this.#follow());

  /** The tree of the entries that this process knows; undefined before its first step. */
  knownHead = (): KnownHead | undefined => this.#known && headOf(this.#known);

  /** When the wait for a transaction began that may hold an older id, in elapsed milliseconds. */
  waitsSince = (): number | undefined => this.#settling.nextFloor?.since;

  async #do(todo: Exclude<Todo, { kind: "end" }>): Promise<Seen> {
    const { ledger, records } = this.#ports;
    if (todo.kind === "number")
      return { kind: "numbered", window: todo.window, numbered: await this.#number(todo) };
    if (todo.kind === "find window")
      return { kind: "window found", upTo: await records.window(todo.above, windowSize) };
    // A record whose entry was removed would get another number, and be signed once more.
    const removed = await ledger.firstMissing(todo.from, todo.to);
    if (removed !== undefined) throw new TrailError(`entry ${removed} was removed`);
    return { kind: "entries checked", upTo: todo.to };
  }

  /** Takes over what other processes have added. */
  async #follow(): Promise<KnownTrail> {
    const { ledger } = this.#ports;
    const { server, size, lastHash } = await ledger.end();
    const known = this.#known;
    const isKnown =
      server === known?.server && size === known.tree.size && equalBytes(lastHash, known.lastHash);
    if (isKnown) return known;
    const tree = await makeStoredTree(ledger).frontier(size);
    // Another trail than the one that this process has settled ids of.
    if (known !== undefined && (server !== known.server || size <= known.tree.size))
      this.#settling = nothingKnown;
    this.#known = { tree, readSize: size, lastHash, server };
    return this.#known;
  }

  /**
   * Numbers records behind those that other processes number meanwhile. Undefined if others were first each time. Throws if the
   * trail takes no entries without that.
   */
  async #number({ window, settled }: Extract<Todo, { kind: "number" }>): Promise<Numbered | undefined> {
    const { ledger } = this.#ports;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const known = this.#known as KnownTrail;
      const { size } = known.tree;
      const numbered = await ledger.number(size, window.above, settled, mostRecords, window.upTo);
      if (numbered !== undefined) return this.#add(known, numbered);
      const settling = this.#settling;
      if ((await this.#follow()).tree.size === size)
        throw new Error("the trail takes no entries where it ends");
      // Another trail, of which no id is settled.
      if (this.#settling !== settling) return undefined;
    }
    return undefined;
  }

  async #add(known: KnownTrail, numbered: Numbered): Promise<Numbered> {
    const { ledger } = this.#ports;
    this.#report(numbered);
    const { hashes } = numbered;
    const { tree, nodes } = makeGrowingTree(known.tree);
    for (let at = 0; at < hashes.length; at += hashLength) tree.append(hashes.subarray(at, at + hashLength));
    if (nodes.length > 0) await ledger.store(nodes, known.server);
    const lastHash = hashes.length > 0 ? hashes.subarray(-hashLength) : known.lastHash;
    this.#known = { ...known, tree, lastHash };
    return numbered;
  }

  #report({ late, firstLate, tooLong }: Numbered): void {
    const { events } = this.#ports;
    this.#late = { records: this.#late.records + late, entry: this.#late.entry ?? firstLate };
    if (this.#late.records > 0 && this.#reports.allows("trail late")) {
      events.warn("trail late", this.#late);
      this.#late = noneLate;
    }
    // Each poll finds such a record again.
    const event = "record too long for the trail";
    if (tooLong !== undefined && this.#reports.allows(event)) events.error(event, { record: tooLong });
  }
}

const headOf = ({ tree, readSize }: KnownTrail): KnownHead => ({
  size: tree.size,
  root: tree.root(),
  readSize,
});
