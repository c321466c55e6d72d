import { apiSuite } from "./api.suite.ts";
import { openSqliteWorld } from "./api/sqlite-world.ts";

apiSuite("on SQLite", openSqliteWorld);
