import { freshDebian, noContainer, type Packages } from "../support/debian-container.ts";

/** What operations.test.ts installs. */
export const packages: Packages = {
  sets: [["postgresql", "openssl", "curl", "nginx", "haproxy", "rsync", "fail2ban", "msmtp-mta", "iproute2"]],
};
/** So that what an installation takes long for is not waited for in each machine. */
export const withPostgres: Packages = {
  ...packages,
  installed: ["postgresql", "openssl", "curl", "msmtp-mta", "iproute2"],
};

// node --import tsx test/release/debian-roots.ts: makes them beforehand. The downloads take minutes.
if (process.argv[1]?.endsWith("debian-roots.ts") && noContainer() === undefined)
  freshDebian("bookworm", withPostgres);
