// Plain JavaScript of the age of Node 12: a Node that is too old for the program must still run this file.
const [major, minor] = process.versions.node.split(".").map(Number);

if (!(major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 16))) {
  console.error(`Node 22, 24 or 26 is needed, and this is Node ${process.versions.node}`);
  process.exit(1);
}
