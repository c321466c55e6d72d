# The examples that users would copy: installed from the packed tarballs, built by their own bundlers, and driven in a real
# Chromium. Their packages come from the npm registry like everything else, so that a failing installation is a fault.
RECIPES_FOLDER=$(mktemp -d)
export RECIPES_FOLDER
recipes() { test/recipes/install.sh "$RECIPES_FOLDER" || return 2; }
extra "recipes for pages" recipes recipes
rm -rf "$RECIPES_FOLDER"
unset RECIPES_FOLDER
