# The images built from their Dockerfiles and run, and the compose example on them, in a Docker engine of the job's own.
image_engine() {
  local variables status
  variables=$(test/images/start-engine.sh)
  status=$?
  [ $status -eq 0 ] || return $status
  eval "$variables"
  trap 'test/images/start-engine.sh --stop' EXIT
}
extra "images and the compose example" images image_engine
if [ -n "${IMAGES_FOLDER:-}" ]; then
  trap - EXIT
  test/images/start-engine.sh --stop
fi
unset DOCKER_HOST DOCKER_CONFIG DOCKER_BUILDKIT DOCKER_COMMAND IMAGES_FOLDER
