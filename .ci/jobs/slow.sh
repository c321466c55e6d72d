# What takes longest of the tests that need nothing but the npm registry, and is therefore no part of the test command: each
# regular expression takes linear time, and the project's own clients pass each clause of the kit.
export SLOW_TESTS=1
extra "slow tests" "slow-*" true
unset SLOW_TESTS
