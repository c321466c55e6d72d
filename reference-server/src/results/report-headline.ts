import { html } from "hono/html";
import { funnelSteps, type Funnel, type FunnelStep } from "./funnel.ts";
import {
  answersText,
  countText,
  intervalText,
  shareText,
  valueText,
  warningText,
  withoutPersonText,
} from "./numbers.ts";
import { type SurveyResults } from "./summary.ts";

type Html = ReturnType<typeof html>;

/** Bars are as long as their share of the largest step. */
function funnel(of: Funnel, steps: readonly FunnelStep[]): Html | string {
  if (steps.length === 0) return "";
  const most = Math.max(...steps.map(({ count }) => count), 1);
  return html`<h3>${of.runs > 0 ? "From runs to answers" : "From people who were asked to answers"}</h3>
    <table class="funnel">
      <tbody>
        ${steps.map(
          ({ name, count, rate, isExit }) =>
            html`<tr class="${isExit ? "exit" : ""}">
              <th scope="row">${name}</th>
              <td class="count">${countText(count)}</td>
              <td class="bar"><meter min="0" max="${most}" value="${count}" aria-hidden="true"></meter></td>
              <td>${rate}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

/** The score, what it speaks for and what it cannot carry, and how its answers came about. */
export function headline(results: SurveyResults): Html {
  const { score, rawScore, responses, dismissals, answeredShare, imported, withoutPerson } = results;
  const steps = results.funnel ? funnelSteps(results.funnel) : [];
  const dismissed = `, ${countText(dismissals ?? 0)} dismissals`;
  const share = answeredShare === null ? "" : `; ${shareText(answeredShare)} answered`;
  const warning = warningText(score);
  const unknown = withoutPersonText(withoutPerson);
  return html`<p class="score">
      <strong>${valueText(score)}</strong>
      ${score.n > 0 ? html`<span>95 % interval ${intervalText(score)}</span>` : ""}
      ${
        score.isWeighted
          ? html`<span>weighted; raw ${valueText(rawScore)}, 95 % interval ${intervalText(rawScore)}</span>`
          : ""
      }
      ${warning ? html`<span class="warning">${warning}</span>` : ""}
    </p>
    ${responses > 0 ? html`<p>${results.speaksFor}</p>` : ""}
    ${
      results.warnings.length > 0
        ? html`<ul class="warnings">
            ${results.warnings.map(({ text }) => html`<li>${text}</li>`)}
          </ul>`
        : ""
    }
    <p>
      ${answersText(rawScore)}${imported > 0 ? ` (${countText(imported)} of the answers imported)` : ""}${
        steps.length > 0 ? "" : dismissed + share
      }
    </p>
    ${unknown ? html`<p class="note">${unknown}.</p>` : ""}
    ${results.funnel ? funnel(results.funnel, steps) : ""}`;
}
