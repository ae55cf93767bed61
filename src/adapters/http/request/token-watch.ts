import { isUnavailable } from "../../../domain/error.ts";

/** With accounts that are half a second old at most, a list ends within a second of its token. */
const watchMilliseconds = 250;

/** Looks at the tokens of the lists under way again and again: at all of them at once, as most lists end before that. */
export function makeTokenWatch() {
  const looks = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;

  function keepWatch(): void {
    if (looks.size === 0 || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      for (const look of looks) look();
      keepWatch();
    }, watchMilliseconds).unref();
  }

  return {
    /**
     * @param look rejects when the token no longer lets the request through
     * @throws what ended the token, while the list may still be under way, or what ended the list
     */
    async sendWhileLive(look: () => Promise<unknown>, sending: Promise<void>): Promise<void> {
      let lookAgain = (): void => {};
      const ended = new Promise<never>((_, reject) => {
        lookAgain = () =>
          void look().catch(error => {
            // Nothing is known of the token until the database is back, and the list needs it too.
            if (!isUnavailable(error)) reject(error);
          });
      });
      looks.add(lookAgain);
      keepWatch();
      try {
        await Promise.race([sending, ended]);
      } finally {
        looks.delete(lookAgain);
      }
    },
  };
}
