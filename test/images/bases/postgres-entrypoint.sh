#!/bin/sh
# What the official image does with POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB and SQL files for its first start, as far as
# the compose file asks.
set -eu
data=/var/lib/postgresql/18/docker
as_postgres="setpriv --reuid postgres --regid postgres --clear-groups"
export PGPASSWORD="$POSTGRES_PASSWORD"

if [ ! -s $data/PG_VERSION ]; then
  install -d -o postgres -g postgres -m 0700 $data
  install -o postgres -g postgres -m 0600 /dev/null /tmp/password
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  $as_postgres /opt/postgres/bin/initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password \
    --auth=scram-sha-256 --locale=C --encoding=UTF8 >/dev/null
  echo "host all all all scram-sha-256" >>$data/pg_hba.conf
  $as_postgres /opt/postgres/bin/pg_ctl -D $data -o "-c listen_addresses= -k /tmp" -w start >/dev/null
  createdb --host /tmp --username "$POSTGRES_USER" "$POSTGRES_DB"
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --host /tmp --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 --quiet --file "$file"
  done
  $as_postgres /opt/postgres/bin/pg_ctl -D $data -w stop >/dev/null
fi
exec $as_postgres /opt/postgres/bin/postgres -D $data -k /tmp -c "listen_addresses=*"
