import { entryKinds } from "../../domain/trail/entry.ts";
import { type Horizon, type IdRange, type Ids, noIds } from "./ports.ts";

type Phase = "open" | "ended" | "settled";

/** The time between the beginnings of two passes over all ids. In an open phase, each pass finds what has ended meanwhile. */
const renewMilliseconds = (phase: Phase): number => (phase === "open" ? 60_000 : 86_400_000);
/** So long after a sequence has issued a record id, at the latest, the transaction has an xid. */
const xidMilliseconds = 1_000;

/**
 * What a process knows of record ids. They do not become visible in their order: a sequence issues an id before its transaction
 * has an xid, and that transaction may end long after later ones. Each poll therefore numbers the records above a *floor*, and
 * finds those up to the floor by a *pass* over all ids. The floor rises in three steps: a poll finds which
 * ids were issued (`issued`); a poll a second or more later takes an xid above those of their transactions (`nextFloor`); a poll whose xmin is
 * above that xid numbers what is new.
 *
 * | Phase | Who may still make a record up to the floor | It ends when | Then |
 * |---|---|---|---|
 * | open | transactions from before the first poll | the floor rises | ended, and a new pass begins |
 * | ended | nobody: the new pass finds what these transactions left | the pass ends | settled |
 * | settled | only the owner of the tables, with a chosen id: that record is late | | |
 * | any | | ids begin anew | open, and a new pass begins |
 */
export interface Settling {
  readonly phase: Phase;
  /** The last ids that were issued, and when that was found, in elapsed milliseconds. */
  readonly issued: Ids;
  readonly issuedAt: number;
  readonly floor: Ids;
  /** The floor when every transaction with an xid up to `xid` has ended; waited for since, in elapsed milliseconds. */
  readonly nextFloor: { readonly ids: Ids; readonly xid: number; readonly since: number } | undefined;
  readonly pass: Pass | undefined;
  /** When `afterHorizon` last began a pass, in elapsed milliseconds. The pass that `afterNew` begins does not put off the next one. */
  readonly passAt: number;
}

/** What is left of a pass. It goes over the entries, of which none may be missing, and then over the ids up to the floor. */
interface Pass extends IdRange {
  /** How many entries there were, and up to which none is missing. */
  readonly size: number;
  readonly checkedTo: number;
}

/** Whether the next poll has to take an xid for itself. */
export const needsXid = (state: Settling | undefined, now: number): boolean =>
  state !== undefined &&
  state.nextFloor === undefined &&
  now - state.issuedAt >= xidMilliseconds &&
  (state.phase === "open" || !isSame(state.issued, state.floor));

const isSame = (a: Ids, b: Ids): boolean => entryKinds.every(kind => a[kind] === b[kind]);

/**
 * At the beginning of a poll.
 *
 * @param state undefined where no poll of this server has been before: after a loss, another one may issue ids again
 */
export function afterHorizon(
  state: Settling | undefined,
  { lastIds, xid }: Horizon,
  size: number,
  now: number,
): Settling {
  // A sequence that was set back issues ids again: they may be anywhere.
  if (state === undefined || entryKinds.some(kind => lastIds[kind] < state.issued[kind])) {
    const pass = { checkedTo: 0, size, above: noIds, upTo: lastIds };
    const found = { issued: lastIds, issuedAt: now, floor: lastIds };
    return { phase: "open", ...found, nextFloor: undefined, pass, passAt: now };
  }
  const { phase, issued, issuedAt, floor, nextFloor, pass, passAt } = state;
  const isDue = pass === undefined && now - passAt >= renewMilliseconds(phase);
  return {
    ...state,
    ...(now - issuedAt >= xidMilliseconds && { issued: lastIds, issuedAt: now }),
    // `issued` is of an earlier poll: the transaction of an id that was issued since then may have no xid yet.
    nextFloor: nextFloor ?? (xid === undefined ? undefined : { ids: issued, xid, since: now }),
    ...(isDue && { pass: { checkedTo: 0, size, above: noIds, upTo: floor }, passAt: now }),
  };
}

/** After a poll has read this horizon, and has then numbered all committed records above the floor. */
export function afterNew(state: Settling, { xmin }: Horizon): Settling {
  const { phase, nextFloor, pass } = state;
  if (nextFloor === undefined || xmin <= nextFloor.xid) return state;
  const raised = { ...state, floor: nextFloor.ids, nextFloor: undefined };
  if (phase !== "open") return raised;
  // The entries that the pass before has checked need no second check.
  const { checkedTo, size } = pass ?? { checkedTo: 0, size: 0 };
  return { ...raised, phase: "ended", pass: { checkedTo, size, above: noIds, upTo: nextFloor.ids } };
}

/** When the pass has come so far. */
export function afterPart(state: Settling, pass: Pass): Settling {
  if (pass.checkedTo < pass.size || !isSame(pass.above, pass.upTo)) return { ...state, pass };
  return { ...state, phase: state.phase === "open" ? "open" : "settled", pass: undefined };
}
