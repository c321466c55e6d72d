import { once } from "node:events";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Place, project, publishableKey, secretKey } from "./place.fixture.ts";
import { templates } from "./templates.ts";

let place: Place;
beforeEach(() => void (place = new Place()));
afterEach(() => place[Symbol.dispose]());

const one = (line: RegExp) => expect.stringMatching(new RegExp(`^${line.source}\n$`));
/** Its install needs Python; the rest of it is as with the others. */
const ofNode = Object.keys(templates).filter((name) => name !== "fastapi");
const create = (template: string, ...more: string[]) =>
  place.run("app", "--template", template, "--no-start", "--port", "1", ...more);

describe("a new app", () => {
  beforeEach(() => {
    place.dev = project;
    place.setNpm("exit 0");
  });

  it.each(ofNode)(
    "of %s has the keys of the running dev, the secret one in a file for its owner alone",
    async (name) => {
      expect([await create(name), place.error]).toEqual([0, ""]);
      const { envFile } = templates[name]!;
      const holders = place.files().filter((file) => place.read(file).includes(secretKey));
      expect(holders).toEqual([`app/${envFile}`]);
      expect(statSync(place.path(`app/${envFile}`)).mode & 0o777).toBe(0o600);
      expect(place.read("app/.gitignore").split("\n")).toContain(envFile);
      const all = place.files().map((file) => place.read(file));
      expect(all.join("\n")).not.toMatch(/\{\{\w+\}\}/);
      expect(all.join("\n")).toContain(publishableKey);
    },
  );

  it.each(ofNode)(
    "of %s takes the packages in the version of this program, and the server for development",
    async (name) => {
      await create(name, "--dev-port", "4444");
      const manifest = JSON.parse(place.read("app/package.json")) as Record<string, Record<string, string>>;
      expect(manifest["name"]).toBe("app");
      expect(manifest["devDependencies"]!["@afterword/server"]).toBe("7.8.9");
      expect(manifest["dependencies"]!["@afterword/node"]).toBe("7.8.9");
      expect(manifest["scripts"]!["afterword"]).toBe(
        `afterword-server dev --port 4444${name === "worker" ? " --no-forward" : ""}`,
      );
    },
  );

  it("says how to start it in a folder of any name, while the dev runs that has its keys", async () => {
    const words = ["it's my äpp", "--template", "page", "--no-start", "--port", "1"];
    expect([await place.run(...words), place.error]).toEqual([0, ""]);
    expect(place.out).toMatch(/^Ready\. Next, while the afterword-server dev at http:\S+ runs:$/m);
    expect(place.out).toContain("  cd 'it'\\''s my äpp' && npm run dev\n");
  });

  it("is made in the current folder if none is named, also in one that git or dev has begun", async () => {
    place.write(".git/HEAD", "");
    place.write(".afterword/config.json", "{}");
    expect(await place.run("--template", "page", "--no-start", "--port", "1")).toBe(0);
    expect(place.files()).toContain("server.ts");
  });

  it("is installed by the package manager that runs the program", async () => {
    place.setNpm("echo npm > ran");
    place.environment["npm_config_user_agent"] = "pnpm/12.0.0 npm/? node/v24";
    place.environment["PATH"] = "";
    expect(await create("page")).toBe(1);
    expect(place.error).toBe("pnpm is not installed, or not in the PATH. Correct that, and run it again.\n");
    place.environment["npm_config_user_agent"] = "something/1";
    expect(await create("page")).toBe(1);
    expect(place.error).toContain("npm is not installed");
  });
});

describe("usage errors are one line, exit with 2 and create nothing", () => {
  it.each([
    [["--template", "angular"], /There is no template "angular": choose one of vite-react, .+\./],
    [["--template", "toString"], /There is no template "toString": .+/],
    [[], /Choose a template with --template: vite-react, .+\./],
    [["one", "two", "--template", "page"], /Name one folder, not 2\. See --help\./],
    [["--colour"], /Unknown option '--colour'\. See --help\./],
    [["--template"], /.*argument missing\. See --help\./],
    [["--template", "page", "--port", "http"], /--port takes a number from 1 to 65535, not "http"\./],
    [["--template", "page", "--dev-port", "70000"], /--dev-port takes a number .+/],
    [["--template", "page", "--port", "4330"], /The app and afterword-server dev need a port each: .+/],
    [["nowhere", "--add", "--template", "page"], /nowhere is not a folder: .+/],
    ...["node_modules", "NUL", "com1.app"].map((name): [string[], RegExp] => [
      [name, "--template", "page"],
      /The folder name ".+" is a reserved name: choose .+/,
    ]),
    ...["a:b", "a#b", "50%", "...", " app", "app ", "~", 'a"b', "a\nb", "C:\\app"].map(
      (name): [string[], RegExp] => [
        [name, "--template", "page"],
        /The folder name ".+" has characters .+: choose .+/,
      ],
    ),
  ])("%j", async (words, line) => {
    expect([await place.run(...words), place.error]).toEqual([2, one(line)]);
    expect(place.files()).toEqual([]);
  });

  it("a file in place of the folder stays as it is", async () => {
    place.write("app", "mine");
    expect([await create("page"), place.error]).toEqual([2, "app is not a folder: choose a new folder.\n"]);
    expect([await place.run("app", "--add", "--template", "page"), place.error]).toEqual([
      2,
      one(/app is not a folder: .+/),
    ]);
    expect(place.read("app")).toBe("mine");
  });

  it("a folder that is not empty stays as it is", async () => {
    place.write("app/notes.txt", "mine");
    expect([await create("page"), place.error]).toEqual([2, one(/app is not empty: .+ --add\./)]);
    expect(place.files()).toEqual(["app/notes.txt"]);
  });
});

describe("where it fails, one line says why and what to do, and nothing is left", () => {
  beforeEach(() => place.setNpm("exit 0"));

  it.each(["file/app", "/proc/app", "loop/app", "a".repeat(300)])(
    "in %s, which cannot be written",
    async (folder) => {
      place.write("file", "");
      symlinkSync("loop", place.path("loop"));
      place.dev = project;
      const words = [folder, "--template", "page", "--no-start", "--port", "1"];
      expect([await place.run(...words), place.error]).toEqual([
        1,
        one(/Could not write \S+: .+\. Choose .+\./),
      ]);
      expect(readdirSync(place.folder).toSorted()).toEqual(["file", "loop"]);
    },
  );

  it("with a port that another program uses", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const words = ["app", "--template", "page", "--port", String(port)];
    expect([await place.run(...words), place.error]).toEqual([1, one(/Port \d+ is in use .+ --port\./)]);
    place.dev = { hello: "I am something else" };
    expect([await create("page"), place.error]).toEqual([1, one(/Port 4330 is in use .+ --dev-port\./)]);
    expect(readdirSync(place.folder)).toEqual([]);
    other.close();
  });

  it("with a running dev that has not what the template needs", async () => {
    place.dev = { ...project, surveys: [] };
    expect([await create("page"), place.error]).toEqual([
      1,
      one(/The afterword-server dev at \S+ has no survey "satisfaction", .+/),
    ]);
    place.dev = { ...project, isForwarding: true };
    expect([await create("worker"), place.error]).toEqual([
      1,
      one(/The afterword-server dev at \S+ forwards all scores itself: .+/),
    ]);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("without a network, at once, loopback included", async () => {
    place.failure = "ENETUNREACH";
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    place.environment = {
      ...process.env,
      npm_config_user_agent: "npm/11",
      npm_config_registry: `http://127.0.0.1:${port}/`,
      // The user's own may hold what a registry at this port has answered before.
      npm_config_cache: join(place.root, "npm-cache"),
    };
    expect([await create("page"), place.error]).toEqual([
      1,
      one(
        /Could not install the packages: .+ECONNREFUSED.+\. Check the network and the registry, and run it again\./,
      ),
    ]);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("with what is wrong when the registry answers, and is not to blame", async () => {
    place.dev = project;
    place.setNpm("echo npm error ENOSPC: no space left on device >&2 ; exit 1");
    expect([await create("page"), place.error]).toEqual([
      1,
      one(/Could not install the packages: .*no space left on device\. Correct that, and run it again\./),
    ]);
  });

  it("when it is interrupted while it installs", async () => {
    place.setNpm("mkdir node_modules && sleep 60");
    const ended = create("page");
    await vi.waitFor(() => statSync(place.path("app/node_modules")));
    place.interruption.abort();
    expect([await ended, place.error]).toEqual([130, ""]);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("at once when it is told a second time, though what it runs ignores the first", async () => {
    place.setNpm("trap '' TERM; mkdir node_modules && sleep 60");
    const ended = create("page");
    await vi.waitFor(() => statSync(place.path("app/node_modules")));
    place.interruption.abort();
    void place.programs.end("SIGKILL");
    expect([await ended, place.error]).toEqual([130, ""]);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("but a file that appeared meanwhile is neither replaced nor removed", async () => {
    place.dev = project;
    place.setNpm("mkdir node_modules && echo mine > server.ts");
    expect([await create("page"), place.error]).toEqual([
      1,
      one(/Could not write \S+server\.ts: file already exists\. .+/),
    ]);
    expect(place.files()).toEqual(["app/server.ts"]);
    expect(place.read("app/server.ts")).toBe("mine\n");
  });

  it("nor a folder that was there before", async () => {
    mkdirSync(place.path("app"));
    place.setNpm("exit 1");
    expect(await create("page")).toBe(1);
    expect(readdirSync(place.folder)).toEqual(["app"]);
    expect(place.files()).toEqual([]);
  });
});

describe("--add", () => {
  beforeEach(() => {
    place.dev = project;
    place.write("package.json", "{}");
  });

  it.each(Object.entries(templates))(
    "of %s adds new files alone and prints what to paste",
    async (name, template) => {
      expect([await place.run("--add", "--template", name), place.error]).toEqual([0, ""]);
      const added = [...template.added, template.envFile, ".gitignore", "package.json"];
      expect(place.files()).toEqual(added.toSorted());
      expect(place.read("package.json")).toBe("{}");
      expect(place.out).toContain(`Added: ${[...template.added, template.envFile].join(", ")}\n`);
      const texts = Object.values(template.pasted).flatMap(({ lines }) => lines.flat());
      for (const text of texts) expect(place.out).toContain(text);
      expect(place.out).not.toContain(secretKey);
    },
  );

  it("of a page prints each name that the lines use, and how to start", async () => {
    await place.run("--add", "--template", "page");
    for (const line of [
      "import { json }",
      "const { text, run } =",
      "const visitor =",
      "const { question, visitor } =",
      'afterword("task")',
    ])
      expect(place.out).toContain(line);
    expect(place.out).toMatch(
      /Start your app with the variables of \.env\. .+\n  node --env-file=\.env .*server\.ts\n/,
    );
  });

  it("installs every package of the template that the project does not name yet", async () => {
    await place.run("--add", "--template", "vite-react");
    expect(place.out).toMatch(/^Install:  npm install @afterword\/browser .*hono react react-dom$/m);
    const names = ["@afterword/browser", "@afterword/node", "@afterword/react", "react", "react-dom"];
    place.write(
      "package.json",
      JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, "1"])) }),
    );
    rmSync(place.path(".env"));
    await place.run("--add", "--template", "vite-react");
    expect(place.out).toContain("Install:  npm install @hono/node-server hono\n");
  });

  it("leaves a file of variables as it is, and prints the lines for it", async () => {
    place.write(".env", "OWN=1\n");
    place.write(".gitignore", ".env\n");
    expect(await place.run("--add", "--template", "hono")).toBe(0);
    expect(place.read(".env")).toBe("OWN=1\n");
    expect(place.out).toContain(`Paste into .env:\n  AFTERWORD_SECRET_KEY=${secretKey}\n`);
    expect(place.read(".gitignore")).toBe(".env\n");
  });

  it("makes git ignore the secret key, and changes nothing else of its list", async () => {
    const git = (...words: string[]) => spawnSync("git", words, { cwd: place.folder }).status;
    place.write(".gitignore", "dist\n!.env.local");
    await place.run("--add", "--template", "next-ai-sdk");
    expect(place.read(".gitignore")).toBe("dist\n!.env.local\n.env.local\n");
    expect(place.out).toContain(
      "Added a line to .gitignore, since the secret key must not be committed: .env.local\n",
    );
    expect([git("init"), git("check-ignore", ".env.local")]).toEqual([0, 0]);
    mkdirSync(place.path("app"));
    expect(await place.run("app", "--add", "--template", "next-ai-sdk")).toBe(0);
    expect(place.files().filter((file) => file.startsWith("app"))).toEqual(["app/.env.local"]);
  });

  it("says how git forgets a file of variables that it knows", async () => {
    place.write(".env", "OWN=1\n");
    for (const words of [["init"], ["add", ".env"]]) spawnSync("git", words, { cwd: place.folder });
    await place.run("--add", "--template", "hono");
    expect(place.out).toContain(
      "git knows .env already. Take it out of git's index:\n  git rm --cached .env\n",
    );
  });

  it("refuses to replace a file, and adds nothing", async () => {
    place.write("worker.ts", "mine");
    const code = await place.run("--add", "--template", "worker");
    expect([code, place.error]).toEqual([1, one(/worker\.ts exists already and was left as it is: .+/)]);
    expect(place.files()).toEqual(["package.json", "worker.ts"]);
  });

  it("that fails removes nothing that somebody else has installed meanwhile", async () => {
    const install = () => {
      for (const file of ["node_modules/a.js", "worker.ts"]) place.write(file, "mine");
      return project;
    };
    Object.defineProperty(place, "dev", { get: install });
    expect(await place.run("--add", "--template", "worker")).toBe(1);
    expect(place.files()).toEqual(["node_modules/a.js", "package.json", "worker.ts"]);
  });
});

it("programs end one after the other, the last one first, however often they are told to", async () => {
  const script = (name: string) =>
    `trap 'echo ${name} >> ended; exit' TERM; echo ready; while :; do sleep 0.02; done`;
  for (const name of ["dev", "app"]) {
    const options = { folder: place.folder, environment: process.env };
    await place.programs.start(["sh", "-c", script(name)], options).firstLine();
  }
  await Promise.all([place.programs.end(), place.programs.end()]);
  expect(place.read("ended")).toBe("app\ndev\n");
});

it("--help names every template and exit code, and --version prints the version", async () => {
  expect(await place.run("--help")).toBe(0);
  for (const name of Object.keys(templates)) expect(place.out).toContain(name);
  expect(place.out).toContain("130");
  expect(await place.run("--version")).toBe(0);
  expect(place.out).toBe("7.8.9\n");
});
