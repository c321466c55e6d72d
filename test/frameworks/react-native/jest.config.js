const built = "<rootDir>/../../../packages";
// Helpers go into each file, for the packages of this repository have no @babel/runtime.
const presets = [["@react-native/babel-preset", { enableBabelRuntime: false }]];
// Metro, the bundler, resolves these itself.
const plugins = ["@babel/plugin-transform-dynamic-import"];
const ours = "<rootDir>/../node_modules";

/** What React Native's own tests run with. Afterword as it is published, with the React that is beside it. */
export default {
  preset: "@react-native/jest-preset",
  setupFiles: ["<rootDir>/one-realm.js"],
  forceExit: true, // not to wait for the time limits of requests that have been answered
  testMatch: ["<rootDir>/*.jest.tsx"],
  moduleNameMapper: {
    "^@afterword/browser$": `${built}/browser/dist/npm/index.js`,
    "^@afterword/browser/(.*)$": `${built}/browser/dist/npm/$1.js`,
    "^@afterword/react$": `${built}/react/dist/index.js`,
    "^react(/.*)?$": `${ours}/react$1`,
    "^@react-native-async-storage/async-storage$": "@react-native-async-storage/async-storage/jest",
  },
  transform: {
    "\\.m?[jt]sx?$": ["babel-jest", { configFile: false, presets, plugins }],
  },
  // Preact, which the widget draws with, is published as ES modules alone.
  transformIgnorePatterns: [
    "node_modules/(?!(?:\\.pnpm/.*/node_modules/)?(?:(?:jest-)?react-native|@react-native|preact))",
  ],
};
