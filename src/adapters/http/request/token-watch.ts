import { isUnavailable } from "../../../domain/error.ts";

/** With accounts that are half a second old at most, a list ends within a second of its token. */
const watchMilliseconds = 250;

/**
 * Looks at the token again and again while a list is sent.
 *
 * @param look rejects when the token no longer lets the request through
 * @throws what ended the token, while the list may still be under way, or what ended the list
 */
export async function sendWhileLive(look: () => Promise<unknown>, sending: Promise<void>): Promise<void> {
  let watch: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    watch = setInterval(() => {
      look().catch(error => {
        // Nothing is known of the token until the database is back, and the list needs it too.
        if (!isUnavailable(error)) reject(error);
      });
    }, watchMilliseconds).unref();
  });
  try {
    await Promise.race([sending, ended]);
  } finally {
    clearInterval(watch);
  }
}
