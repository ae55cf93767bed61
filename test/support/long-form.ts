/** Whether tests that have a short form try all of their cases, as before a release: `TEST_FORM=long`. */
export const isLong = process.env["TEST_FORM"] === "long";
