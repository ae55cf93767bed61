import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/** Resources of the process; times in seconds, memory in bytes. */
export type Runtime = ReturnType<ReturnType<typeof watchRuntime>>;

const resolutionMilliseconds = 20;
const windowMilliseconds = 30_000;

/** Watches the process to its end; the result reads its figures. */
export function watchRuntime() {
  // Two monitors overlap. The one that started earlier is read and restarted, so each reading covers 30 to 60 seconds.
  let [earlier, later] = [startMonitor(), startMonitor()];
  setInterval(() => {
    earlier.reset();
    [earlier, later] = [later, earlier];
  }, windowMilliseconds).unref();

  return () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, external } = process.memoryUsage();
    return {
      nodeVersion: process.version,
      /** Since the epoch. A correction of the system clock does not change it, as it must not look like a restart. */
      startedAtSeconds: Math.round(performance.timeOrigin / 1_000),
      uptimeSeconds: process.uptime(),
      /** Since the start, of all threads. */
      cpuSeconds: (user + system) / 1e6,
      residentBytes: rss,
      heapUsedBytes: heapUsed,
      heapLimitBytes: getHeapStatistics().heap_size_limit,
      /** Buffers and the like, beside the heap. */
      externalBytes: external,
      /** In the last 30 to 60 seconds. */
      eventLoopDelay: {
        medianSeconds: delayOf(earlier.percentile(50)),
        p99Seconds: delayOf(earlier.percentile(99)),
        maxSeconds: delayOf(earlier.max),
      },
    };
  };
}

function startMonitor() {
  const monitor = monitorEventLoopDelay({ resolution: resolutionMilliseconds });
  monitor.enable();
  return monitor;
}

/** Node measures the interval between two ticks of a timer; the delay is what exceeds the timer's period. */
const delayOf = (nanoseconds: number): number =>
  Math.max(0, nanoseconds / 1e9 - resolutionMilliseconds / 1_000);
