import {
  AfterwordProvider,
  type HandedOverRun,
  InlineSurvey,
  Thumbs,
  useAfterword,
  useRunFeedback,
  useSurvey,
} from "@afterword/react";
import { runOf } from "@afterword/react/ai-sdk";
import { createFeedbackAdapter, runOfMessage } from "@afterword/react/assistant-ui";
import { type ReactNode, useRef } from "react";

// Never run: it is compiled against the types of React 18, without skipping the declarations of the packages.

export function Page({ children, run }: { children: ReactNode; run?: HandedOverRun }) {
  const slot = useRef<HTMLDivElement>(null);
  const thumbs = useRef<HTMLElement>(null);
  return (
    <AfterwordProvider options={{ key: "aw_pk_x", baseUrl: "https://feedback.example.com" }} userId="mara">
      {children}
      <InlineSurvey ref={slot} slug="how-easy" run={run} className="survey" style={{ minHeight: 200 }} />
      <Thumbs ref={thumbs} run={run} aria-label="Was this answer good?" />
      <Thumbs surveyId="answer" sessionId="run-1" getToken={async () => "st2.token"} value="up" />
      <afterword-survey slug="how-easy" className="survey" />
      {/* @ts-expect-error -- a survey needs a slug */}
      <InlineSurvey run={run} />
      {/* @ts-expect-error -- thumbs need a run or a token */}
      <Thumbs />
      {/* @ts-expect-error -- neither options nor a client */}
      <AfterwordProvider />
    </AfterwordProvider>
  );
}

export function Rated({ run }: { run: HandedOverRun | null }) {
  const { canRate, result, rate } = useRunFeedback(run);
  const open = useSurvey("how-easy");
  const adapter = createFeedbackAdapter(useAfterword());
  const message = { metadata: { custom: {} }, content: [] };
  const found = runOf({ parts: [] }) ?? runOfMessage(message);
  // @ts-expect-error -- a rating is a number
  const wrong = () => rate({ rating: "5" });
  return (
    <button disabled={!canRate} onClick={() => (found ? void rate({ rating: 5 }) : wrong())}>
      {result} {open?.survey.question} {adapter.submit.length}
    </button>
  );
}
