import { entryKinds } from "../../domain/trail/entry.ts";
import { type Horizon, type Ids, mostId, type Numbered } from "./ports.ts";

/** Records numbered with one statement, which hashes 60 KB of each at most. */
export const mostRecords = 4_000;
/** Ids, or entries, that one statement goes over at most, so that it ends before its deadline however long the trail is. */
export const windowSize = 2 ** 20;
/** Between two passes over all ids. */
const renewMilliseconds = 86_400_000;
/** A transaction that was given an id has one of its own after this. */
const givenMilliseconds = 1_000;
const all = (id: number): Ids => ({ employee: id, asset: id, log: id });
export const everyId = all(mostId);
const isSame = (a: Ids, b: Ids): boolean => entryKinds.every(kind => a[kind] === b[kind]);

/**
 * What a process knows of ids. Those are settled with which only the owner of the tables can still make a record. A sequence
 * gives an id before the transaction has an id of its own. What one poll found given is therefore settled when every
 * transaction has ended that had an id a second later, and the ids were gone over after that.
 */
export interface Settling {
  /**
   * *Open*: transactions from before the first poll may hold any id, so that passes over all ids follow each other. *Ended*:
   * they have ended, and one more pass finds what they left. *Settled*: a pass once a day finds what the owner has inserted.
   */
  readonly phase: "open" | "ended" | "settled";
  /** The server of the last poll. */
  readonly server: string | undefined;
  /** Ids that were given, and when that was found, in elapsed milliseconds. */
  readonly given: Ids;
  readonly givenAt: number;
  /** Each poll goes over the ids above these. */
  readonly floor: Ids;
  /** The next floor, from when every transaction with an id before this one has ended. */
  readonly rising: { readonly ids: Ids; readonly xid: number; readonly hasEnded: boolean } | undefined;
  readonly pass: Pass | undefined;
  /** When the next pass begins, in elapsed milliseconds. */
  readonly renewAt: number;
}

/** Goes over the entries, of which none may be missing, and then over all ids above these. */
interface Pass {
  readonly entries: { readonly from: number; readonly to: number };
  readonly above: Ids;
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
  | { readonly kind: "whole"; readonly upTo: number }
  | { readonly kind: "window"; readonly upTo: Ids };

export type Todo =
  | { readonly kind: "number"; readonly window: Window; readonly settled: Ids }
  | { readonly kind: "look for missing entries"; readonly from: number; readonly to: number }
  | { readonly kind: "find a window"; readonly above: Ids }
  /** More: the next poll need not wait. */
  | { readonly kind: "end"; readonly isMore: boolean };

type Step = { readonly state: Settling; readonly todo: Todo };

export const nothingKnown: Settling = {
  phase: "open",
  server: undefined,
  given: all(0),
  givenAt: Number.NEGATIVE_INFINITY,
  floor: all(0),
  rising: undefined,
  pass: undefined,
  renewAt: 0,
};

/** Whether the next poll has to take the id of a transaction for itself. */
export const takesId = ({ phase, given, givenAt, floor }: Settling, now: number): boolean =>
  now - givenAt >= givenMilliseconds && (phase === "open" || !isSame(given, floor));

/** What a process knows, and has to do, after what it has seen. Each poll begins with a horizon. */
export function next(state: Settling, seen: Seen): Step {
  switch (seen.kind) {
    case "horizon": {
      const polled = afterHorizon(state, seen);
      return number(polled, { above: polled.floor, upTo: everyId, isOfPass: false });
    }
    case "numbered": {
      if (seen.numbered === undefined) return end(state);
      return (seen.window.isOfPass ? afterWindow : afterNew)(state, seen.numbered, seen.window);
    }
    case "whole": {
      const { pass } = state as { pass: Pass };
      const entries = { ...pass.entries, from: seen.upTo };
      const checked = { ...state, pass: { ...pass, entries } };
      return entries.from < entries.to ? end(checked, true) : goOn(checked);
    }
    case "window":
      return number(state, { above: (state.pass as Pass).above, upTo: seen.upTo, isOfPass: true });
  }
}

const end = (state: Settling, isMore = false): Step => ({ state, todo: { kind: "end", isMore } });

function number(state: Settling, window: Window): Step {
  return {
    state,
    todo: { kind: "number", window, settled: state.phase === "settled" ? state.floor : all(0) },
  };
}

function goOn(state: Settling): Step {
  if (state.pass === undefined) return end(state);
  const { above, entries } = state.pass;
  if (entries.from >= entries.to) return { state, todo: { kind: "find a window", above } };
  const to = Math.min(entries.to, entries.from + windowSize);
  return { state, todo: { kind: "look for missing entries", from: entries.from, to } };
}

function afterHorizon(state: Settling, { horizon, size, now }: Extract<Seen, { kind: "horizon" }>): Settling {
  const { server, lastIds, xmin, xid } = horizon;
  const begun = { pass: { entries: { from: 0, to: size }, above: all(0) }, renewAt: now + renewMilliseconds };
  // A sequence that was set back gives ids again, as does a server that has lost some: they may be anywhere.
  if (server !== state.server || entryKinds.some(kind => lastIds[kind] < state.given[kind]))
    return {
      phase: "open",
      server,
      given: lastIds,
      givenAt: now,
      floor: lastIds,
      rising: undefined,
      ...begun,
    };
  const rising = state.rising ?? (xid === undefined ? undefined : { ids: state.given, xid });
  return {
    ...state,
    ...(now - state.givenAt >= givenMilliseconds && { given: lastIds, givenAt: now }),
    rising: rising && { ...rising, hasEnded: xmin > rising.xid },
    ...(state.pass === undefined && now >= state.renewAt && begun),
  };
}

/** After the ids above the floor: the pass comes after them, so that new records do not wait for it. */
function afterNew(state: Settling, { found, hashes, lastIds }: Numbered, window: Window): Step {
  if (found === mostRecords)
    return hashes.length > 0 ? end(state, true) : number(state, { ...window, above: lastIds });
  if (!state.rising?.hasEnded) return goOn(state);
  const risen = { ...state, floor: state.rising.ids, rising: undefined };
  return goOn(state.phase === "open" ? { ...risen, phase: "ended", pass: again(state) } : risen);
}

function afterWindow(state: Settling, { found, lastIds }: Numbered, { upTo }: Window): Step {
  const above = found < mostRecords ? upTo : lastIds;
  if (!isSame(above, everyId)) return end({ ...state, pass: { ...(state.pass as Pass), above } }, true);
  if (state.phase === "open") return end({ ...state, pass: again(state) });
  return end({ ...state, phase: "settled", pass: undefined });
}

const again = ({ pass }: Settling): Pass => ({ ...(pass as Pass), above: all(0) });
