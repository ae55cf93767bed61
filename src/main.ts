#!/usr/bin/env node
// No static import, and no syntax newer than import(): a Node that is too old for the program must still parse this file
// and run it, so that it can say so in one line.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

// systemctl reload may follow a restart at once. Until serve has its own listener, this signal would end the process.
if (process.argv[2] === "serve") process.on("SIGHUP", () => {});

// The oldest versions that can run the program, which uses process.getBuiltinModule. The message names those that are tested.
if (major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 16)) {
  import("./program.ts")
    .then(({ runProgram }) => runProgram(process.argv.slice(2), process.env))
    // Exit explicitly: an unanswered TCP connection to a lost database host would keep the process alive for minutes.
    .then(code => process.exit(code));
} else {
  console.error(`Node 22, 24 or 26 is needed, and this is Node ${process.versions.node}`);
  process.exit(78);
}
