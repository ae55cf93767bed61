import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Ended {
  readonly status: number;
  readonly stdout: string;
}

/** Runs a program of docs/trail.md with arguments, many times without starting its interpreter anew. */
export interface RetypedProgram {
  run(args: readonly string[]): Promise<Ended>;
  close(): void;
}

const driver = `
import contextlib, io, json, runpy, sys
for line in sys.stdin:
    sys.argv = json.loads(line)
    stdout, status = io.StringIO(), 0
    with contextlib.redirect_stdout(stdout):
        try: runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end: status = end.code if isinstance(end.code, int) else 1 if end.code else 0
        except Exception: status = 1
    print(json.dumps({"status": status, "stdout": stdout.getvalue()}), flush=True)
`;

export function inPython(program: string): RetypedProgram {
  const python = spawn("python3", ["-c", driver], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface(python.stdout)[Symbol.asyncIterator]();
  return {
    async run(args) {
      python.stdin.write(`${JSON.stringify([program, ...args])}\n`);
      return JSON.parse((await answers.next()).value as string) as Ended;
    },
    close: () => python.stdin.end(),
  };
}
