-- What version 8 had beyond version 7; never changed.
ALTER TABLE projects RENAME COLUMN pepper_salt TO secrets;
INSERT INTO agreements
  SELECT 'master-keys', json_build_array(json_strip_nulls(json_build_object(
    'id', value, 'since', (SELECT min(created_at) FROM projects),
    'key', (SELECT value FROM agreements WHERE name = 'master-key')
  )))::text
  FROM agreements WHERE name = 'master-key-fingerprint';
DELETE FROM agreements WHERE name IN ('master-key', 'master-key-fingerprint');

UPDATE schema_version SET version = 8;
