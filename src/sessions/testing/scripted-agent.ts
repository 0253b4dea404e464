import type { SimulatedClock } from '../../clock/index.js'
import type { Observation } from '../../screen/index.js'
import { Waiters } from '../effects.js'
import type { SendPort } from '../live/send-prompt.js'

export interface AgentScript {
  /** Milliseconds until what was typed shows in the box. */
  echoMs?: number
  /** How many Enters are swallowed without any effect. */
  swallowed?: number
  /** Typed text never shows. */
  isBlind?: boolean
  isBracketedPaste?: boolean
  /** What the agent does with a prompt that it takes. */
  onTake?(agent: ScriptedAgent, text: string): void
  /** Called after each write, before the agent reacts. */
  onWrite?(agent: ScriptedAgent, keys: string): void
}

/**
 * An agent's input box as `sendPrompt` sees it, on a simulated clock. Keys that arrive while a
 * menu is on screen are counted against the gate.
 */
export class ScriptedAgent implements SendPort {
  readonly writes: string[] = []
  readonly keysInMenu: string[] = []
  readonly taken: string[] = []
  seen: Observation = idle()
  hasExited = false
  readonly #clock: SimulatedClock
  readonly #script: AgentScript
  readonly #waiters: Waiters
  #swallowed: number
  #box = ''

  constructor(clock: SimulatedClock, script: AgentScript = {}) {
    this.#clock = clock
    this.#waiters = new Waiters(clock)
    this.#script = script
    this.#swallowed = script.swallowed ?? 0
  }

  observation(): Observation | null {
    return this.seen
  }

  isExited(): boolean {
    return this.hasExited
  }

  isBracketedPaste(): boolean {
    return this.#script.isBracketedPaste ?? true
  }

  async press(keys: string): Promise<void> {
    this.writes.push(keys)
    if (this.seen.view === 'tool_menu') this.keysInMenu.push(keys)
    this.#script.onWrite?.(this, keys)
    if (this.hasExited || this.seen.view === 'tool_menu') return
    if (keys === '\r') this.#enter()
    else if (keys === '\u0015') this.#type('')
    else if (keys !== '\u001b') this.#type(this.#box + keys.replace(/\u001b\[20[01]~/g, ''))
  }

  changed(ms: number): Promise<void> {
    return this.#waiters.changed(ms)
  }

  /** Everything that was typed, without Enters. */
  get typed(): string {
    return this.writes.filter(keys => keys !== '\r').join('')
  }

  get enters(): number {
    return this.writes.filter(keys => keys === '\r').length
  }

  show(fields: Partial<Observation>): void {
    this.seen = { ...this.seen, ...fields } as Observation
    this.#waiters.wake()
  }

  showMenu(): void {
    this.show({ view: 'tool_menu', awaiting: 'permission', composer: null, busy: false })
  }

  exit(): void {
    this.hasExited = true
    this.show({})
  }

  later(ms: number, action: () => void): void {
    this.#clock.setTimer(ms, action)
  }

  #type(box: string): void {
    this.#box = box
    if (this.#script.isBlind) return
    this.later(this.#script.echoMs ?? 0, () => {
      if (this.seen.composer) this.show({ composer: composer(box) })
    })
  }

  #enter(): void {
    if (this.#swallowed > 0) {
      this.#swallowed--
      return
    }
    const text = this.#box
    this.#box = ''
    this.taken.push(text)
    const take =
      this.#script.onTake ??
      ((agent: ScriptedAgent) => agent.show({ composer: composer(''), user: text, view: 'thinking', busy: true }))
    this.later(30, () => take(this, text))
  }
}

export function composer(
  draft: string,
  fields: Partial<NonNullable<Observation['composer']>> = {},
): NonNullable<Observation['composer']> {
  return {
    empty: draft === '',
    draft,
    placeholder: '',
    shell: false,
    pasted: 0,
    queued: [],
    completion: null,
    rows: [10, 12],
    ...fields,
  }
}

export function idle(fields: Partial<Observation> = {}): Observation {
  return {
    view: 'idle_prompt',
    payload: { fresh: true, prompt: 'agent' },
    confidence: 0.95,
    anchored: true,
    rule: 'test',
    busy: false,
    awaiting: null,
    composer: composer(''),
    facets: [],
    user: null,
    terminator: null,
    ambiguous: [],
    evidence: [],
    ...fields,
  } as Observation
}
