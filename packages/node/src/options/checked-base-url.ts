import { ConfigurationError } from "../errors/afterword-error.ts";

/** Returns an address that paths are appended to. Errors leave out its value, which may hold a password. */
export function checkedBaseUrl(name: string, baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigurationError(`${name} must be an absolute URL such as https://feedback.example.com.`);
  if (url.username || url.password || url.search || url.hash)
    throw new ConfigurationError(`${name} must have no user, password, query or fragment.`);
  return url;
}
