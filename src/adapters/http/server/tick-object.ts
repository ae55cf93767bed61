import { createHook } from "node:async_hooks";

const kept: object[] = [];

/**
 * Keeps one of the objects that `process.nextTick` makes; Node makes eight of them for a request. When a full collection
 * finds none alive, V8 forgets their hidden class, and Node makes each of them by a slow call until the process ends.
 */
export function keepTickObject(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === "TickObject" && kept.length === 0) kept.push(resource);
    },
  }).enable();
  process.nextTick(() => {});
  hook.disable();
}
