# What takes longest of the tests that need nothing but the npm registry, and is therefore no part of the test command: each
# regular expression takes linear time; the project's own clients pass each clause of the kit, and broken ones fail it; nodes of
# the last version and of the next share a database; slow clients are cut, and slow readers of exports are in nobody's way; the
# commands of the pages on operating work as printed; weighted intervals of a whole population have their coverage.
export SLOW_TESTS=1
extra "slow tests" "slow-*" true
unset SLOW_TESTS
