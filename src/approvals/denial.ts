/*
 * Which answers are denials. Every surface asks here, also the dashboard, which imports this file:
 * it therefore imports nothing itself.
 */

/** The meanings of an option that deny a request, the plainest first. */
export const DENIAL_MEANINGS: readonly string[] = ['deny', 'cancel', 'deny-with-text']

/** Whether an option of this meaning, or a decision of this tier, denies the request. */
export function isDenialMeaning(meaning: string | undefined): boolean {
  return meaning !== undefined && DENIAL_MEANINGS.includes(meaning)
}

/** The option that denies most plainly; undefined where no option does. */
export function denyingOption<T extends { meaning: string }>(options: readonly T[]): T | undefined {
  return DENIAL_MEANINGS.map(meaning => options.find(option => option.meaning === meaning)).find(Boolean)
}
