import type { Observation } from '../screen/index.js'
import type { Frame } from '../terminal/index.js'

/*
 * A shell that edits its own command line enables bracketed paste while it reads one, and disables
 * it before it runs it (readline, zle and fish do). So once a prompt has been seen with the mode
 * on, the mode says more than the text: the same prompt with the mode off was printed by a command
 * that still runs, and with the mode on it can be accepted at once.
 *
 * A prompt with another text proves nothing: a shell inside the shell may have no line editor at
 * all. After a screen that was captured as a whole the mode is unknown, so everything is learned
 * again.
 */
export type LineEditorVerdict = 'reads' | 'runs' | 'unknown'

export class LineEditor {
  #prompt: string | null = null

  /** What the mode says about a shell's prompt in this frame. */
  judge(observation: Observation, frame: Frame, isPasteBracketed: boolean): LineEditorVerdict {
    if (observation.view !== 'idle_prompt') return 'unknown'
    if ((observation as Observation<'idle_prompt'>).payload.prompt !== 'shell') return 'unknown'
    const row = frame.lines[frame.cursor.y]?.text ?? ''
    const prompt = row.slice(0, frame.cursor.x).trimEnd().replace(/\d+/gu, '0')
    const known = this.#prompt
    if (isPasteBracketed) {
      // After the known prompt follows what is being typed.
      const isKnown = known !== null && prompt.startsWith(known)
      if (!isKnown) this.#prompt = prompt
      return isKnown ? 'reads' : 'unknown'
    }
    return known !== null && prompt === known ? 'runs' : 'unknown'
  }

  forget(): void {
    this.#prompt = null
  }
}

/** A prompt that only looks like one: a command runs. */
export function asRunning(observation: Observation): Observation {
  return {
    ...observation,
    view: 'tool_running',
    payload: { tool: { name: 'Shell', kind: 'shell', summary: '' } },
    rule: 'generic/line-editor-off',
    busy: true,
    awaiting: null,
  } as Observation<'tool_running'>
}
