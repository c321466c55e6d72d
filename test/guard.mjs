// pnpm installs before it runs a script, and runs the script even when that installation failed.
// The working Node (a dependency) is then missing and an old one of the system would go on: stop here instead.
const [major] = process.versions.node.split(".");
if (Number(major) < 22) {
  console.error(
    `Afterword needs Node 22 or newer and this is ${process.version}: the installation did not finish.\n` +
      "See why with:  npx -y pnpm@12 install",
  );
  process.exit(1);
}
