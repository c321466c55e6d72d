# The widget's stories in Firefox and WebKit, which only Debian packages bring here.
engines_from_debian() {
  command -v firefox-esr >/dev/null && command -v WebKitWebDriver >/dev/null && command -v xvfb-run >/dev/null && return
  command -v apt-get >/dev/null || return
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    firefox-esr webkit2gtk-driver xvfb xauth >/dev/null
}
extra "stories in Firefox and WebKit" engines engines_from_debian
