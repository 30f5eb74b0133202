import fc from "fast-check";

/**
 * Property tests are repeatable: the same cases in every run. `KEDGE_TEST_SEED=<number>` tries others; a failure prints
 * the seed to use.
 */
const seed = process.env["KEDGE_TEST_SEED"];
fc.configureGlobal({ seed: seed === undefined ? 20261115 : Number(seed) });
