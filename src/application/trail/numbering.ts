import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import { type Frontier, hashLength } from "../../domain/trail/merkle.ts";
import { RepeatedReports } from "../repeated-reports.ts";
import { repeatMilliseconds, TrailObstacleError } from "./condition.ts";
import { everyId, type IdRange, type Numbered, type TrailEnd, type TrailPorts, windowSize } from "./ports.ts";
import { afterHorizon, afterNew, afterPart, needsXid, type Settling } from "./settling.ts";
import { makeGrowingTree, makeStoredTree } from "./tree.ts";

/** Records numbered with one statement, which hashes 60 KB of each at most. */
const mostRecords = 4_000;
/** Attempts of one poll while other processes number first: a request waits for this poll, not for the next one. */
const mostAttempts = 5;

/** A tree. Its first `readSize` entries were read from the database; this process has added the later ones. */
export interface KnownTree {
  readonly tree: Frontier;
  readonly readSize: number;
}

/** The stored trail, as far as this process knows it. */
type KnownTrail = KnownTree & Omit<TrailEnd, "size">;

/**
 * Gives records their numbers. Any number of processes may do so at once: each adds entries only where it knows the end of
 * the trail, and the database refuses an index that is taken.
 */
export class Numbering {
  readonly #ports: Pick<TrailPorts, "ledger" | "records" | "clock" | "events">;
  readonly #reports: RepeatedReports;
  #known: KnownTrail | undefined;
  /** Undefined as long as nothing is known of the ids of this trail. */
  #settling: Settling | undefined;

  constructor(ports: Pick<TrailPorts, "ledger" | "records" | "clock" | "events">) {
    this.#ports = ports;
    this.#reports = new RepeatedReports(ports.clock.elapsed, repeatMilliseconds);
  }

  /** The entries that this process knows; undefined before its first step. */
  get tree(): Frontier | undefined {
    return this.#known?.tree;
  }

  /** When the wait for a transaction began that may hold an older id, in elapsed milliseconds. */
  get waitsSince(): number | undefined {
    return this.#settling?.nextFloor?.since;
  }

  /**
   * Takes over what other processes have numbered, numbers what is new, and goes on with the pass over older ids, if there is one.
   * Resolves with true where there is more to do than one step should do. Throws TrailError where the stored trail is not whole.
   */
  async step(): Promise<boolean> {
    const { records, clock } = this.#ports;
    const { tree } = await this.readTree();
    const horizon = await records.horizon(needsXid(this.#settling, clock.elapsed()));
    // The clock is read after the statement, which may have waited: the ids in the horizon were issued before this time.
    this.#settling = afterHorizon(this.#settling, horizon, tree.size, clock.elapsed());
    const numbered = await this.#number({ above: this.#settling.floor, upTo: everyId });
    if (numbered === undefined) return true;
    // There may be more. If all of these were too long for an entry, the next step would find the same ones.
    if (numbered.found === mostRecords) return numbered.hashes.length > 0;
    this.#settling = afterNew(this.#settling, horizon);
    return this.#goOn(this.#settling);
  }

  /** Goes over a part of the pass. It comes after the new records, so that these do not wait for it. */
  async #goOn(settling: Settling): Promise<boolean> {
    const { ledger, records, events } = this.#ports;
    const { pass } = settling;
    if (pass === undefined) return false;
    const checkedTo = Math.min(pass.size, pass.checkedTo + windowSize);
    if (pass.checkedTo < checkedTo) {
      // A record whose entry was removed would get another number, and be signed once more.
      const removed = await ledger.firstMissing(pass.checkedTo, checkedTo);
      if (removed !== undefined) throw new TrailError(`entry ${removed} was removed`);
    }
    if (checkedTo < pass.size) {
      this.#settling = afterPart(settling, { ...pass, checkedTo });
      return true;
    }
    const upTo = await records.window(pass, windowSize);
    const numbered = await this.#number({ above: pass.above, upTo });
    if (numbered === undefined) return true;
    const late = numbered.hashes.length / hashLength;
    if (settling.phase === "settled" && late > 0)
      events.warn("trail late", { records: late, entry: (this.#known as KnownTrail).tree.size - late });
    const above = numbered.found < mostRecords ? upTo : numbered.lastIds;
    this.#settling = afterPart(settling, { ...pass, checkedTo, above });
    return this.#settling.pass !== undefined;
  }

  /** Reads the end of the trail, and takes over what other processes have added. */
  async readTree(): Promise<KnownTrail> {
    const { ledger } = this.#ports;
    const { server, schema, size, lastHash } = await ledger.end();
    const known = this.#known;
    // A program that does not know a property would hash entries without it, and find entries that have it changed.
    if (known !== undefined && schema !== known.schema)
      throw new TrailObstacleError(
        "the database was migrated: start the newer version of this program",
        "failing",
      );
    const isKnown =
      server === known?.server && size === known.tree.size && equalBytes(lastHash, known.lastHash);
    if (isKnown) return known;
    const tree = await makeStoredTree(ledger).frontier(size);
    // A promoted standby may issue again the ids that were lost with the old server: none of them is settled.
    if (server !== known?.server) this.#settling = undefined;
    this.#known = { tree, readSize: size, lastHash, server, schema };
    return this.#known;
  }

  /**
   * Numbers records at the end of the trail, which moves while other processes number theirs. Undefined if others were first each
   * time, or if the server is another one by now. Throws if the trail takes no entries although its end has not moved.
   */
  async #number(ids: IdRange): Promise<Numbered | undefined> {
    const { ledger, events } = this.#ports;
    const { server } = this.#known as KnownTrail;
    for (let attempt = 0; attempt < mostAttempts && this.#known?.server === server; attempt += 1) {
      const known = this.#known as KnownTrail;
      const { size } = known.tree;
      const numbered = await ledger.number({ size, schema: known.schema }, ids, mostRecords);
      if (numbered !== undefined) {
        // Each poll finds such records again. A report names one of them.
        const event = "record too long for the trail";
        if (numbered.tooLong !== undefined && this.#reports.claim(event))
          events.error(event, { record: numbered.tooLong });
        this.#known = await this.#grown(known, numbered);
        return numbered;
      }
      if ((await this.readTree()).tree.size === size)
        throw new Error("the trail takes no entries where it ends");
    }
    return undefined;
  }

  /** With new entries at the end, and what of the tree is to be stored. */
  async #grown(known: KnownTrail, { hashes }: Numbered): Promise<KnownTrail> {
    const { tree, nodes } = makeGrowingTree(known.tree);
    for (let at = 0; at < hashes.length; at += hashLength) tree.append(hashes.subarray(at, at + hashLength));
    if (nodes.length > 0) await this.#ports.ledger.store(nodes, known.server);
    const lastHash = hashes.length > 0 ? hashes.subarray(-hashLength) : known.lastHash;
    return { ...known, tree, lastHash };
  }
}
