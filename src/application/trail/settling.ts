import { entryKinds } from "../../domain/trail/entry.ts";
import { type Horizon, type Ids, mostId, type Numbered } from "./ports.ts";

/** Records numbered with one statement, which hashes 60 KB of each at most. */
export const mostRecords = 4_000;
/** Ids, or entries, that one statement goes over at most, so that it ends before its deadline however long the trail is. */
export const windowSize = 2 ** 18;
/**
 * *Open*: transactions from before the first poll may hold any id. *Ended*: these transactions have ended, and one more pass over
 * all ids finds what they left. *Settled*: only the owner of the tables can still make a record under an id that was passed.
 */
type Phase = "open" | "ended" | "settled";

/** Where each event leads, from each phase. */
const phaseAfter = {
  /** The server is another one, or issues ids again that it had issued: a new pass begins. */
  "ids begin anew": { open: "open", ended: "open", settled: "open" },
  /** The first `nextFloor` is reached: a new pass begins if the phase changes. */
  "floor rises": { open: "ended", ended: "ended", settled: "settled" },
  "pass ends": { open: "open", ended: "settled", settled: "settled" },
} as const satisfies Record<string, Record<Phase, Phase>>;

/** The time between the beginnings of two passes over all ids: in an open phase each finds what has ended meanwhile. */
const renewMilliseconds: Record<Phase, number> = { open: 60_000, ended: 86_400_000, settled: 86_400_000 };
/** A transaction that was issued a record id has an xid after this. */
const xidMilliseconds = 1_000;
const all = (id: number): Ids => ({ employee: id, asset: id, log: id });
export const everyId = all(mostId);
const isSame = (a: Ids, b: Ids): boolean => entryKinds.every(kind => a[kind] === b[kind]);

/**
 * What a process knows of record ids. An id is settled when only the owner of the tables can still make a record with it. A
 * sequence issues a record id before the transaction has an xid. The ids that one poll found issued are therefore settled when
 * every transaction that had an xid a second later has ended, and a pass over these ids has been made after that.
 */
export interface Settling {
  readonly phase: Phase;
  /** The server of the last poll. */
  readonly server: string | undefined;
  /** The last ids that were issued, and when that was found, in elapsed milliseconds. */
  readonly issued: Ids;
  readonly issuedAt: number;
  /** Each poll goes over the ids above these. */
  readonly floor: Ids;
  /** Reached when every transaction with an xid below `xid` has ended. */
  readonly nextFloor: NextFloor | undefined;
  readonly pass: Pass | undefined;
  /** When the latest pass began, in elapsed milliseconds. */
  readonly passAt: number;
}

interface NextFloor {
  readonly ids: Ids;
  readonly xid: number;
  readonly isReached: boolean;
  /** In elapsed milliseconds. */
  readonly since: number;
}

/** Goes over the entries, of which none may be missing, and then over all ids. */
interface Pass {
  readonly entries: { readonly from: number; readonly to: number };
  readonly doneTo: Ids;
}

/** Ids of a pass, or else those above the floor. */
export interface Window {
  readonly above: Ids;
  readonly upTo: Ids;
  readonly isOfPass: boolean;
}

export type Seen =
  | { readonly kind: "horizon"; readonly horizon: Horizon; readonly size: number; readonly now: number }
  /** Undefined where another process was first. */
  | { readonly kind: "numbered"; readonly numbered: Numbered | undefined; readonly window: Window }
  | { readonly kind: "entries checked"; readonly upTo: number }
  | { readonly kind: "window found"; readonly upTo: Ids };

export type Todo =
  /** A record that is found up to `settled` is late: only the owner of the tables can have made it. */
  | { readonly kind: "number"; readonly window: Window; readonly settled: Ids }
  | { readonly kind: "check entries"; readonly from: number; readonly to: number }
  | { readonly kind: "find window"; readonly above: Ids }
  /** More: the next poll need not wait. */
  | { readonly kind: "end"; readonly isMore: boolean };

type Step = { readonly state: Settling; readonly todo: Todo };

export const nothingKnown: Settling = {
  phase: "open",
  server: undefined,
  issued: all(0),
  issuedAt: Number.NEGATIVE_INFINITY,
  floor: all(0),
  nextFloor: undefined,
  pass: undefined,
  passAt: Number.NEGATIVE_INFINITY,
};

/** Whether the next poll has to take an xid for itself. */
export const needsXid = ({ phase, issued, issuedAt, floor, nextFloor }: Settling, now: number): boolean =>
  nextFloor === undefined &&
  now - issuedAt >= xidMilliseconds &&
  (phase === "open" || !isSame(issued, floor));

/**
 * What a process knows, and has to do, after what it has seen. A poll begins with a horizon, and goes on until there is no more to
 * do, or no more that one poll should do:
 *
 * | Seen | To do |
 * |---|---|
 * | horizon | number the new records, above the floor |
 * | new records numbered | the same again if there are more; else go on with the pass, if there is one |
 * | entries of the pass checked | end, and check more with the next poll; when all are checked, find a window of ids |
 * | window found | number the records in it |
 * | records in the window numbered | end, and go on with the next poll until the pass ends |
 * | another process was first | end |
 */
export function next(state: Settling, seen: Seen): Step {
  switch (seen.kind) {
    case "horizon": {
      const polled = afterHorizon(state, seen);
      return number(polled, { above: polled.floor, upTo: everyId, isOfPass: false });
    }
    case "numbered": {
      if (seen.numbered === undefined) return end(state);
      return (seen.window.isOfPass ? afterPassWindow : afterNew)(state, seen.numbered, seen.window);
    }
    case "entries checked": {
      const { pass } = state as { pass: Pass };
      const entries = { ...pass.entries, from: seen.upTo };
      const checked = { ...state, pass: { ...pass, entries } };
      return entries.from < entries.to ? end(checked, true) : goOn(checked);
    }
    case "window found":
      return number(state, { above: (state.pass as Pass).doneTo, upTo: seen.upTo, isOfPass: true });
  }
}

const end = (state: Settling, isMore = false): Step => ({ state, todo: { kind: "end", isMore } });

function number(state: Settling, window: Window): Step {
  const settled = state.phase === "settled" ? state.floor : all(0);
  return { state, todo: { kind: "number", window, settled } };
}

function goOn(state: Settling): Step {
  if (state.pass === undefined) return end(state);
  const { doneTo, entries } = state.pass;
  if (entries.from >= entries.to) return { state, todo: { kind: "find window", above: doneTo } };
  const to = Math.min(entries.to, entries.from + windowSize);
  return { state, todo: { kind: "check entries", from: entries.from, to } };
}

function afterHorizon(state: Settling, { horizon, size, now }: Extract<Seen, { kind: "horizon" }>): Settling {
  const { server, lastIds, xmin, xid } = horizon;
  const begun = { pass: { entries: { from: 0, to: size }, doneTo: all(0) }, passAt: now };
  // A sequence that was set back issues ids again, as does a server that has lost some: they may be anywhere.
  if (server !== state.server || entryKinds.some(kind => lastIds[kind] < state.issued[kind]))
    return {
      ...{ ...nothingKnown, phase: phaseAfter["ids begin anew"][state.phase], server },
      ...{ issued: lastIds, issuedAt: now, floor: lastIds, ...begun },
    };
  // Those of an earlier poll: the transaction of an id that only this one found issued may have no xid yet.
  const nextFloor =
    state.nextFloor ?? (xid === undefined ? undefined : { ids: state.issued, xid, since: now });
  return {
    ...state,
    ...(now - state.issuedAt >= xidMilliseconds && { issued: lastIds, issuedAt: now }),
    nextFloor: nextFloor && { ...nextFloor, isReached: xmin > nextFloor.xid },
    ...(state.pass === undefined && now - state.passAt >= renewMilliseconds[state.phase] && begun),
  };
}

/** After the ids above the floor: the pass comes after them, so that new records do not wait for it. */
function afterNew(state: Settling, { found, hashes, lastIds }: Numbered, window: Window): Step {
  // Records that are too long have no hashes and are found again by each poll: those after them get their turn in this one.
  if (found === mostRecords)
    return hashes.length > 0 ? end(state, true) : number(state, { ...window, above: lastIds });
  if (!state.nextFloor?.isReached) return goOn(state);
  const phase = phaseAfter["floor rises"][state.phase];
  const raised = { ...state, phase, floor: state.nextFloor.ids, nextFloor: undefined };
  if (phase === state.phase) return goOn(raised);
  // One more pass, which checks the entries that were not checked before.
  const { entries } = state.pass ?? { entries: { from: 0, to: 0 } };
  return goOn({ ...raised, pass: { entries, doneTo: all(0) } });
}

function afterPassWindow(state: Settling, { found, lastIds }: Numbered, { upTo }: Window): Step {
  const doneTo = found < mostRecords ? upTo : lastIds;
  if (!isSame(doneTo, everyId)) return end({ ...state, pass: { ...(state.pass as Pass), doneTo } }, true);
  return end({ ...state, phase: phaseAfter["pass ends"][state.phase], pass: undefined });
}
