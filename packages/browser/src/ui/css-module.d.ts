/** A style sheet as minified text; the build and the test runner both support this suffix. */
declare module "*.css?inline" {
  const css: string;
  export default css;
}
