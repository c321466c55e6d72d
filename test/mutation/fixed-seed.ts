import fc from "fast-check";

// A mutant that only some seeds find would be a survivor in one run and not in the next.
// Instrumented code is slow, and most mutants need few cases.
fc.configureGlobal({ seed: 1, numRuns: 30 });
