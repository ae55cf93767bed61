import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/** Resources of the process; times in seconds, memory in bytes. */
export interface Runtime {
  readonly nodeVersion: string;
  /** Since the epoch. A correction of the system clock does not change it, as it must not look like a restart. */
  readonly startedAtSeconds: number;
  readonly uptimeSeconds: number;
  /** Since the start, of all threads. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly heapLimitBytes: number;
  /** Buffers and the like, beside the heap. */
  readonly externalBytes: number;
  /** Delay of the event loop in the last 30 to 60 seconds. */
  readonly eventLoopDelay: EventLoopDelay;
}

export interface EventLoopDelay {
  readonly medianSeconds: number;
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

const resolutionMilliseconds = 20;
const windowMilliseconds = 30_000;

/** Watches the process until it is closed. */
export function watchRuntime(): { read(): Runtime; close(): void } {
  // Two monitors overlap. The one that started earlier is read and restarted, so each reading covers 30 to 60 seconds.
  const monitors = [startMonitor(), startMonitor()];
  const turning = setInterval(() => {
    const earlier = monitors.shift();
    if (earlier === undefined) return;
    earlier.reset();
    monitors.push(earlier);
  }, windowMilliseconds).unref();

  return {
    read() {
      const { user, system } = process.cpuUsage();
      const { rss, heapUsed, external } = process.memoryUsage();
      return {
        nodeVersion: process.version,
        startedAtSeconds: Math.round(performance.timeOrigin / 1_000),
        uptimeSeconds: process.uptime(),
        cpuSeconds: (user + system) / 1e6,
        residentBytes: rss,
        heapUsedBytes: heapUsed,
        heapLimitBytes: getHeapStatistics().heap_size_limit,
        externalBytes: external,
        eventLoopDelay: delayOf(monitors[0]),
      };
    },
    close() {
      clearInterval(turning);
      for (const monitor of monitors) monitor.disable();
    },
  };
}

function startMonitor(): IntervalHistogram {
  const monitor = monitorEventLoopDelay({ resolution: resolutionMilliseconds });
  monitor.enable();
  return monitor;
}

function delayOf(monitor: IntervalHistogram | undefined): EventLoopDelay {
  // Node measures the interval between two ticks of a timer; the delay is what exceeds the timer's period.
  const seconds = (nanoseconds = 0) => Math.max(0, nanoseconds / 1e9 - resolutionMilliseconds / 1_000);
  return {
    medianSeconds: seconds(monitor?.percentile(50)),
    p99Seconds: seconds(monitor?.percentile(99)),
    maxSeconds: seconds(monitor?.max),
  };
}
