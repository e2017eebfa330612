import { DomainError } from "../../src/domain/errors.ts";

/** What was asked for; undefined if the site refuses it. */
export async function unlessRefused<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

export async function isAccepted(asked: Promise<unknown>): Promise<boolean> {
  return (await unlessRefused(asked.then(() => true))) ?? false;
}
