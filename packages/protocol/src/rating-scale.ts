/** The four kinds of survey (contract section 2.1). */
export type SurveyType = "nps" | "csat" | "ces" | "pmf";

/** What the ratings of one kind of survey mean (contract section 8). */
export interface RatingScale {
  readonly min: number;
  readonly max: number;
  /** Label of each rating, by the lowest rating that has it, ascending. */
  readonly labels: readonly (readonly [from: number, label: string])[];
}

/** The scales for server, SDKs and documents. Plain data without zod, so that browsers can import it. */
export const ratingScales: Readonly<Record<SurveyType, RatingScale>> = {
  nps: {
    min: 0,
    max: 10,
    labels: [
      [0, "detractor"],
      [7, "passive"],
      [9, "promoter"],
    ],
  },
  csat: {
    min: 1,
    max: 5,
    labels: [
      [1, "dissatisfied"],
      [3, "neutral"],
      [4, "satisfied"],
    ],
  },
  ces: {
    min: 1,
    max: 7,
    labels: [
      [1, "hard"],
      [4, "neutral"],
      [5, "easy"],
    ],
  },
  pmf: {
    min: 0,
    max: 2,
    labels: [
      [0, "not_disappointed"],
      [1, "somewhat_disappointed"],
      [2, "very_disappointed"],
    ],
  },
};

/** The same without labels, which are 300 bytes: lowest, highest, end of the lowest label, start of the highest one. */
export const ratingBounds = {
  nps: [0, 10, 6, 9],
  csat: [1, 5, 2, 4],
  ces: [1, 7, 3, 5],
  pmf: [0, 2, 0, 2],
} as const;

/** The fields of a survey that decide which ratings it takes. */
export interface RatedSurvey {
  readonly type: SurveyType;
  readonly thumbs?: boolean | undefined;
}

/** Whether a survey takes its lowest and highest rating alone, down and up (contract, section "Extensions"). */
export const isThumbs = ({ type, thumbs }: RatedSurvey) => type === "csat" && thumbs === true;

/** The ratings that a survey takes, ascending. */
export function ratingsOf(survey: RatedSurvey): number[] {
  const [min, max] = ratingBounds[survey.type];
  return isThumbs(survey) ? [min, max] : Array.from({ length: max - min + 1 }, (_, step) => min + step);
}

/** Whether a survey takes a rating. */
export const ratingFits = (survey: RatedSurvey, rating: number) => ratingsOf(survey).includes(rating);

/** For messages: the ratings that a survey takes. */
export function ratingsText(survey: RatedSurvey): string {
  const ratings = ratingsOf(survey);
  return isThumbs(survey) ? "1 (down) or 5 (up)" : `a whole number from ${ratings[0]} to ${ratings.at(-1)}`;
}

/** The rating as 0..1, where 1 is best: `(rating - min) / (max - min)`. */
export function normalisedRating(type: SurveyType, rating: number): number {
  const { min, max } = ratingScales[type];
  return (rating - min) / (max - min);
}

/** The rating's label, for example `promoter`; `undefined` off the scale. */
export function ratingLabel(type: SurveyType, rating: number): string | undefined {
  if (!ratingFits({ type }, rating)) return undefined;
  return ratingScales[type].labels.findLast(([from]) => rating >= from)?.[1];
}
