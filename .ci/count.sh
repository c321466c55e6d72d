#!/usr/bin/env bash
# Prints "passed failed skipped" of a vitest JSON report, then a line for each test that failed; fails without a report.
set -euo pipefail
[ -s "$1" ]
node -e '
  const report = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  const skipped = report.numPendingTests + report.numTodoTests;
  const brokenFiles = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  console.log(report.numPassedTests, report.numFailedTests + brokenFiles.length, skipped);
  for (const { name } of brokenFiles) console.log(name);
  for (const { name, assertionResults } of report.testResults)
    for (const test of assertionResults) if (test.status === "failed") console.log(`${name}: ${test.fullName}`);
' "$1"
