import { flag, option, repeated, required } from "./options.ts";

const witness = repeated("VKEY", "a witness that must have cosigned the checkpoint; may be given again");
const key = repeated("VKEY", "a verifier key of the trail; may be given again, after a change of key");

export const verifyOptions = {
  key,
  witness,
  checkpoint: repeated("FILE", "a checkpoint, new or old; may be given again"),
  entries: option("FILE", "the output of export-trail"),
  proof: option("FILE", "the response of GET /logs/{id}/proof"),
  log: option("FILE", "the log as the API returns it"),
  database:
    flag(`compare every record with its entry, the entries with the tree, and the tree with the checkpoints in
the database and in TRAIL_STATE_FILE; prints what was changed, removed or inserted`),
};

export const auditOptions = {
  url: required("URL", "where the service is, for example https://maintenance.example.com"),
  key,
  witness,
  state: required("FILE", "remembers the last checkpoint that held"),
  checkpoint: repeated("FILE", "a kept checkpoint, which the trail must continue; may be given again"),
  "newest-within": option("DURATION", "fail when the newest entry is older; for example 2d"),
};
