import { startServer } from "@afterword/server";
import { apiSuite } from "./api.suite.ts";
import { openSqliteWorld } from "./api/sqlite-world.ts";

apiSuite("on SQLite", openSqliteWorld);
apiSuite("as it is operated, on SQLite", () => openSqliteWorld(startServer), { only: ["contract"] });
