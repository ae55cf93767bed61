/**
 * Preloaded into the processes that `make run` starts. Their standard input is a pipe from it: when that ends, so has
 * `make run`, whatever ended it.
 */
process.stdin
  .resume()
  .once("close", () => process.kill(process.pid, "SIGTERM"))
  .unref();
