#!/usr/bin/env bash
# Prints "passed failed skipped" of a vitest JSON report; fails when there is none.
set -euo pipefail
[ -s "$1" ]
node -e '
  const report = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  const skipped = report.numPendingTests + report.numTodoTests;
  const brokenFiles = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  console.log(report.numPassedTests, report.numFailedTests + brokenFiles.length, skipped);
' "$1"
