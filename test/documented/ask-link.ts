import { type Afterword, askLink } from "@afterword/node";

interface Report {
  id: string;
  userId: string;
  email: string;
}

/** Call it when the report is done and the person has left. */
export async function askByMail(
  afterword: Afterword,
  report: Report,
  sendMail: (to: string, text: string) => Promise<void>,
): Promise<void> {
  const run = { surveyId: "report", sessionId: report.id };
  const { tokens } = await afterword.mint({ respondentId: report.userId, ...run });
  if (!tokens["report"]) return; // the person must not be asked now
  const page = "https://example.com/ask/"; // the folder dist/ask of @afterword/browser, on your site
  const link = askLink({
    page,
    token: tokens["report"],
    ...run,
    name: "Example Agents",
    about: "Sales report",
  });
  await sendMail(report.email, `How did we do? ${link}`);
}
