import { AfterwordProvider } from "@afterword/react";
import { configure, render, screen, userEvent } from "@testing-library/react-native";
import { RateRun } from "./rate-run";
import { openAfterword, Survey } from "./survey";

configure({ asyncUtilTimeout: 20_000 });
jest.setTimeout(60_000);

/** From the test that runs this file, with a service of its own. */
const { key, baseUrl, shown, rated } = JSON.parse(process.env.AFTERWORD_RUNS!);

it("there is no page", () => {
  const ofPages = ["document", "addEventListener", "localStorage", "sessionStorage"];
  expect(ofPages.filter((name) => name in globalThis)).toEqual([]);
});

it("the survey of a run is shown, answered and closed", async () => {
  const afterword = await openAfterword(key, baseUrl);
  afterword.identify(shown.person);
  afterword.install(shown);
  afterword.ask("by-itself");
  await render(<Survey afterword={afterword} />);
  await screen.findByText("How did it go?");
  await userEvent.press(screen.getByText("4"));
  await screen.findByText("Thank you!");
  await userEvent.press(screen.getByText("Close"));
  expect(screen.toJSON()).toBeNull();
  afterword.destroy();
});

it("a run is rated by the hooks of the React package", async () => {
  const client = await openAfterword(key, baseUrl);
  const run = { tokens: { [rated.surveyId]: rated.token }, sessionId: rated.sessionId };
  await render(
    <AfterwordProvider client={client} userId={rated.person}>
      <RateRun run={run} surveyId={rated.surveyId} />
    </AfterwordProvider>,
  );
  await userEvent.press(screen.getByText("Bad"));
  await screen.findByText("Thank you!");
  client.destroy();
});
