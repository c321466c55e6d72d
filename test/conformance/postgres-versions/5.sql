-- What version 5 had beyond version 4, and suppression of every age; never changed.
CREATE TABLE clean_up (last_at bigint);
INSERT INTO clean_up (last_at) VALUES (NULL);

-- Erased people have the day of their asks, which is a time at midnight.
INSERT INTO asks VALUES
  ('kept', convert_to('ada#############', 'UTF8'), 'survey-1', 1700000000009, 2),
  ('kept', convert_to('erased##########', 'UTF8'), 'survey-1', 1700006400000, 3);

UPDATE schema_version SET version = 5;
