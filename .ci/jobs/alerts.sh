# The alert rules and the dashboard in a real Prometheus, which only Debian's package brings here. It is unpacked, not
# installed, since installing would start a service.
prometheus_from_debian() {
  command -v promtool >/dev/null && command -v prometheus >/dev/null && return
  command -v apt-get >/dev/null || return
  local folder
  folder=$(mktemp -d)
  apt-get update -qq && (cd "$folder" && apt-get download -qq prometheus && dpkg-deb --extract prometheus_*.deb .) || return 1
  "$folder/usr/bin/promtool" --version >/dev/null || return 2
  export PATH="$folder/usr/bin:$PATH"
}
extra "alert rules and dashboard" alerts prometheus_from_debian
