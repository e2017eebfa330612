import { configureGlobal } from "fast-check";

/** The seed of all property tests of a run: `PROPERTY_SEED=…`, which the run prints first, repeats them. */
configureGlobal({ seed: Number(process.env["PROPERTY_SEED"]) });
