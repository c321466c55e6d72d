/** A condition with its parameters, for statements whose number of parameters varies. */
export interface Condition {
  where: string;
  values: readonly unknown[];
}

/**
 * Selects rows of a project by the values that columns may have; a column without a list has any value. The lists are short:
 * the identities of a person, or the surveys of a slug.
 */
export function selectedRows(
  projectId: string,
  lists: Readonly<Record<string, readonly unknown[] | undefined>>,
): Condition {
  const chosen = Object.entries(lists).flatMap(([column, values]) => (values ? [{ column, values }] : []));
  const conditions = chosen.map(
    ({ column, values }) => ` AND ${column} IN (${values.map(() => "?").join()})`,
  );
  return {
    where: `project_id = ?${conditions.join("")}`,
    values: [projectId, ...chosen.flatMap(({ values }) => values)],
  };
}
