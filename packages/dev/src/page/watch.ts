/** Reports to the server of `dev` what the widget in this page shows, and why it shows nothing. Loaded by a classic script tag. */
{
  const { src } = document.currentScript as HTMLScriptElement;
  const report = (name: string) =>
    document.addEventListener(`afterword:${name}`, (event) => {
      const { slug, reason } = (event as CustomEvent<{ slug: string; reason?: string }>).detail;
      const seen = JSON.stringify({ name, slug, reason, page: location.pathname });
      // As text, which needs no preflight.
      navigator.sendBeacon(new URL("/dev/seen", src), seen);
    });
  report("shown");
  report("notShown");
}
