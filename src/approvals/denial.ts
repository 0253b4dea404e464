/*
 * Which answers are denials. Every surface uses this file. The dashboard imports it, too, so it
 * must not import anything itself.
 */

/** The meanings of an option that deny a request, the plainest first. */
export const DENIAL_MEANINGS: readonly string[] = ['deny', 'cancel', 'deny-with-text']

/** Whether an option of this meaning, or a decision of this tier, denies the request. */
export function isDenialMeaning(meaning: string | undefined): boolean {
  return meaning !== undefined && DENIAL_MEANINGS.includes(meaning)
}

/**
 * The option that denies most plainly; undefined where no option does. A gate that can be sent back
 * with a reason is not cancelled by a plain denial.
 */
export function denyingOption<T extends { meaning: string; takes?: string | undefined }>(
  options: readonly T[],
): T | undefined {
  const plain = options.find(({ meaning }) => meaning === 'deny')
  const sentBack = options.find(({ meaning, takes }) => meaning === 'deny-with-text' && takes === 'reason')
  const others = DENIAL_MEANINGS.map(meaning => options.find(option => option.meaning === meaning))
  return plain ?? sentBack ?? others.find(Boolean)
}
