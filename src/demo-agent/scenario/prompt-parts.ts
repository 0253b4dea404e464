/** `===== task =====` …, as Signalbox frames text; longer marks where it contains them. */
const BLOCK = /^(={5,}) (.+) \1\n([\s\S]*?)\n\1 end of \2 \1$/gm

/** The instructions, without quoted material, which must not count as a question. */
export function instructionsOf(prompt: string): string {
  return prompt.replace(BLOCK, '')
}

/** The framed task; null in a prompt of a person. */
export function taskSection(prompt: string): string | null {
  return sectionOf(prompt, 'task')
}

/** The text that is framed with this name; null without one. */
export function sectionOf(prompt: string, wanted: string): string | null {
  for (const [, , name, text] of prompt.matchAll(BLOCK)) if (name === wanted) return text!
  return null
}
