# The files of deploy/ in a real Prometheus and a real Caddy, and backups encrypted by age, which only Debian's packages bring
# here. They are unpacked, not installed, since installing would start services.
services_from_debian() {
  command -v promtool >/dev/null && command -v prometheus >/dev/null && command -v caddy >/dev/null && command -v age >/dev/null && return
  command -v apt-get >/dev/null || return
  local folder package
  folder=$(mktemp -d)
  apt-get update -qq && (cd "$folder" && apt-get download -qq prometheus caddy age) || return 1
  for package in "$folder"/*.deb; do dpkg-deb --extract "$package" "$folder" || return 1; done
  "$folder/usr/bin/promtool" --version >/dev/null && "$folder/usr/bin/caddy" version >/dev/null && "$folder/usr/bin/age" --version >/dev/null || return 2
  export PATH="$folder/usr/bin:$PATH"
}
extra "alert rules, dashboard, Caddyfile and encrypted backups" alerts services_from_debian
