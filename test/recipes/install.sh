#!/usr/bin/env bash
# install.sh FOLDER [--update]: copies the apps that stand on their own into FOLDER, outside of the workspace, and
# installs each from the packed tarballs. With --update it writes the lockfile of their packages anew.
set -euo pipefail
folder=$1
cd "$(dirname "$0")"
mkdir -p "$folder/packed"
cp package.json pnpm-workspace.yaml pnpm-lock.yaml "$folder/"
templates=packages/create-afterword/templates
for path in $templates/{vite-react,next-ai-sdk,vue,svelte} examples/express-api-and-spa; do
  name=${path##*/}
  mkdir "$folder/$name"
  tar -C "../../$path" -c --exclude node_modules --exclude dist --exclude .next . | tar -x -C "$folder/$name"
done
for name in browser react node; do
  (cd "../../packages/$name" && npx -y pnpm@12 pack --pack-destination "$folder/packed" >/dev/null)
  mkdir "$folder/packed/$name"
  tar -xf "$folder/packed/afterword-$name-"*.tgz -C "$folder/packed/$name" --strip-components 1
done
if [ "${2:-}" = --update ]; then
  npx -y pnpm@12 --dir "$folder" install --no-frozen-lockfile
  cp "$folder/pnpm-lock.yaml" .
else
  npx -y pnpm@12 --dir "$folder" install --frozen-lockfile
fi
