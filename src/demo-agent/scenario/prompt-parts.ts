/** `===== task =====` … `===== end of task =====`, as Signalbox frames what it hands on: the marks grow where the text holds them. */
const BLOCK = /^(={5,}) (.+) \1\n([\s\S]*?)\n\1 end of \2 \1$/gm

/** What is asked, without the material that is only shown: marks, task, diffs and earlier words cannot be taken for a question. */
export function instructionsOf(prompt: string): string {
  return prompt.replace(BLOCK, '')
}

/** The task where it is framed as one; null in a prompt of a person. */
export function framedTask(prompt: string): string | null {
  return framed(prompt, 'task')
}

/** What is framed under this name; null where nothing is. */
export function framed(prompt: string, wanted: string): string | null {
  for (const [, , name, text] of prompt.matchAll(BLOCK)) if (name === wanted) return text!
  return null
}
