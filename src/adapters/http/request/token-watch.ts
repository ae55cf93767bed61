import type { ServerResponse } from "node:http";
import { isUnavailable } from "../../../domain/error.ts";

/** With accounts that are half a second old at most, a list ends within a second of its token. */
const watchMilliseconds = 250;

/**
 * Looks at the token again and again while a list is sent, and destroys the response once the token has ended.
 *
 * @param look rejects when the token no longer lets the request through
 * @throws what ended the token, or what ended the list
 */
export async function sendWhileLive(
  response: ServerResponse,
  look: () => Promise<unknown>,
  sending: Promise<void>,
): Promise<void> {
  let end: unknown;
  const watch = setInterval(() => {
    look().catch(error => {
      // Nothing is known of the token until the database is back, and the list needs it too.
      if (isUnavailable(error)) return;
      end = error;
      response.destroy();
    });
  }, watchMilliseconds).unref();
  try {
    await sending;
  } catch (error) {
    throw end ?? error;
  } finally {
    clearInterval(watch);
  }
  if (end !== undefined) throw end;
}
