import { Invalid } from "../../domain/errors.ts";

/**
 * What `work` finds wrong beside a field, told beside the API's name for it; where two fields get one
 * name, the first problem. Throws whatever `work` throws.
 */
export async function renamed<Result>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const problems = Object.entries(error.problems).toReversed();
    throw new Invalid(
      Object.fromEntries(problems.map(([field, problem]) => [names[field] ?? field, problem])),
    );
  }
}
