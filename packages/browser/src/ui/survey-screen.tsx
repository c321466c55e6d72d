import { render } from "preact";
import type { SurveyViewOptions } from "../core/survey-view.ts";
import { Card } from "./card.tsx";
import { digitReader } from "./digit-reader.ts";
import { guard } from "./guard.ts";
import { offersContact } from "./rating-options.ts";
import { advance, type Flow, type FlowCommand, type FlowEvent } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";

/** What one drawn survey lives on. */
export interface ScreenOptions {
  view: SurveyViewOptions;
  loaded: LoadedTexts;
  root: ShadowRoot;
  /** It is known what became of the answer. */
  onSettled: () => void;
  /** The person is done. */
  onClosed: () => void;
}

/** Turns what the person does into steps of the flow, and each step into a drawing and a report. */
export class SurveyScreen {
  #options: ScreenOptions;
  #flow: Flow;
  #announcement = "";
  #readDigit = digitReader();

  constructor(options: ScreenOptions) {
    const { rating, text = "", followUpRequested = false } = options.view.draft;
    this.#options = options;
    this.#flow = { stage: "asking", rating, text, offersContact: false, wantsContact: followUpRequested };
    this.#flow.offersContact = rating !== undefined && this.#isOffered(rating);
  }

  /** Said by screen readers without moving there. */
  announce(text: string): void {
    this.#announcement = text;
    this.draw();
  }

  /** The page took the widget away: a chosen rating is sent, but nobody has dismissed anything. */
  abandon(): void {
    if (this.#flow.rating !== undefined) this.send({ type: "close" });
    else this.#options.onClosed();
  }

  /** One step; an error stays out of the host page. */
  send = (event: FlowEvent): void =>
    guard(this.#options.view.reportError, () => {
      const [next, command] = advance(this.#flow, event);
      if (next === this.#flow) return;
      this.#flow = next;
      if (next.stage !== "closed") this.draw();
      if (event.type === "rate") this.#options.view.rated(event.rating);
      if (command) this.#obey(command);
      if (next.stage === "closed") this.#options.onClosed();
      if (event.type === "settle") this.#options.onSettled();
    });

  draw(): void {
    const { view, loaded, root } = this.#options;
    const focused = root.activeElement;
    render(
      <Card
        {...loaded}
        view={view}
        flow={this.#flow}
        announcement={this.#announcement}
        readDigit={this.#readDigit}
        onRate={(rating) => this.send({ type: "rate", rating, offersContact: this.#isOffered(rating) })}
        send={this.send}
      />,
      root,
    );
    // The button that was pressed is gone or inert now; without this the focus would fall to the body.
    if (focused && !root.activeElement?.matches(":not([inert] *)")) root.querySelector("section")?.focus();
  }

  #obey(command: FlowCommand) {
    const { view } = this.#options;
    const { rating, text, wantsContact: followUpRequested } = this.#flow;
    if (command.type === "save-draft") view.saveDraft({ rating, text, followUpRequested });
    if (command.type === "dismiss") view.dismiss();
    if (command.type === "submit") {
      void view.submit(command.answer).then((result) => this.send({ type: "settle", result }));
    }
  }

  #isOffered(rating: number) {
    return offersContact(this.#options.view.survey, this.#options.view.askFollowUp, rating);
  }
}
