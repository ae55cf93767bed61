import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

const pauseMilliseconds = 150;
const patienceMilliseconds = 1_500;

/**
 * Writes to each of some servers over and over, past the service; answers how to end that, with the longest time in which
 * none of them took a write.
 *
 * @param urls of one server each, with the table `probe`
 */
export function watchWrites(urls: readonly string[]): () => Promise<number> {
  let lastWritten = performance.now();
  let longest = 0;
  let stopped = false;
  const watch = async (url: string) => {
    while (!stopped) {
      if (await write(url)) {
        longest = Math.max(longest, performance.now() - lastWritten);
        lastWritten = performance.now();
      }
      await sleep(pauseMilliseconds);
    }
  };
  const watching = Promise.all(urls.map(watch));
  return async () => {
    stopped = true;
    await watching;
    return Math.round(longest);
  };
}

/** Each time on a connection of its own: one that was there may hang. */
async function write(url: string): Promise<boolean> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 1,
    backoff: false,
    fetch_types: false,
    onnotice: () => {},
  });
  const written = sql`insert into probe default values`.then(
    () => true,
    () => false,
  );
  const taken = await Promise.race([written, sleep(patienceMilliseconds, false)]);
  void sql.end({ timeout: 0 });
  return taken;
}
