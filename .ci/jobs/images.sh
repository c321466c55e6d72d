# The images built from their Dockerfiles and run, and the compose example on them, in a Docker engine of the job's own.
extra_beside test/images/start-engine.sh "images and the compose example" images
