import { roleOf } from '../headless/improvise.js'
import type { Hooks } from '../hooks.js'
import { Interrupted, type Pace } from '../pace.js'
import { loadScenario } from '../scenario/load.js'
import { type Progress, pickTurn, readDirectives } from '../scenario/pick-turn.js'
import { taskSection } from '../scenario/prompt-parts.js'
import type { Scenario, Step, Turn } from '../scenario/types.js'
import { OWN_TOOLS, type Tools } from '../tools/tools.js'
import type { Transcript, TranscriptRecord } from '../transcript.js'
import { Background } from './background.js'
import { MenuQueue } from './menu-queue.js'
import type { Permissions } from './permissions.js'
import { playStep } from './play-steps.js'
import type { Surface, TurnEnd } from './surface.js'
import { EndTurn, type TurnContext } from './turn-context.js'

export interface SessionParts {
  scenario: Scenario
  surface: Surface
  transcript: Transcript
  hooks: Hooks
  pace: Pace
  permissions: Permissions
  /** The files and commands that its tools use, if not those of this machine. */
  tools?: Tools
  cwd: string
  progress: Progress
  isResumed: boolean
  /**
   * An improvised turn for a prompt that the script does not cover; null leaves it to the scenario.
   */
  improvise?: (prompt: string) => Turn | null
}

/** One conversation: prompts come in, turns are played, everything is recorded. */
export class Session {
  readonly background: Background
  private progress: Progress
  private current: AbortController | null = null
  private calls = 0
  private prompts = 0
  private readonly menus = new MenuQueue()

  constructor(private readonly parts: SessionParts) {
    this.progress = parts.progress
    this.background = new Background(() => parts.surface, parts.cwd)
  }

  get isBusy(): boolean {
    return this.current !== null
  }

  interrupt(): void {
    this.current?.abort()
  }

  /** The dialogs before the first prompt; false: the person declined, the program exits. */
  async start(): Promise<boolean> {
    await this.parts.hooks.notify('SessionStart', { source: this.parts.isResumed ? 'resume' : 'startup' })
    const end = await this.play(this.parts.scenario.start ?? [], '')
    return end.outcome === 'done'
  }

  async prompt(text: string): Promise<TurnEnd> {
    const { surface, transcript, hooks } = this.parts
    surface.showPrompt(text)
    const turn = this.choose(text)
    this.prompts++
    transcript.append({ type: 'user', text, nextInOrder: this.progress.nextInOrder })
    await hooks.notify('UserPromptSubmit', { prompt: text, prompt_id: `prompt_${this.prompts}` })
    const end = await this.play(turn.steps, text)
    transcript.append({ type: 'turn_end', outcome: end.outcome, text: end.text, durationMs: end.durationMs })
    surface.turnEnded(end)
    await hooks.notify('Stop', { outcome: end.outcome, last_assistant_message: end.text })
    return end
  }

  private choose(prompt: string): Turn {
    const task = taskSection(prompt)
    const directives = readDirectives(prompt)
    // A task that is shown to an auditor controls its worker, and the other way round.
    const named = task !== null && roleOf(prompt) === 'auditor' ? directives.auditor : directives.scenario
    if (named !== undefined) {
      const progress = this.parts.isResumed ? this.progress : { nextInOrder: 0 }
      const picked = pickTurn(loadScenario(named), task ?? prompt, progress)
      this.progress = picked.progress
      return picked.turn
    }
    const improvised = this.parts.improvise?.(prompt)
    if (improvised) return improvised
    const picked = pickTurn(this.parts.scenario, prompt, this.progress)
    this.progress = picked.progress
    return picked.turn
  }

  private async play(steps: Step[], prompt: string): Promise<TurnEnd> {
    const controller = new AbortController()
    this.current = controller
    const context = this.context(prompt, controller.signal)
    let over: EndTurn | null = null
    try {
      for (const step of steps) await playStep(step, context)
    } catch (error) {
      if (error instanceof EndTurn) over = error
      else if (error instanceof Interrupted) over = new EndTurn('interrupted')
      else throw error
    } finally {
      this.current = null
      this.parts.surface.setWorking(null)
    }
    if (over?.failure) {
      this.parts.transcript.append({ type: 'error', ...over.failure })
      this.parts.surface.failed(over.failure)
    }
    return {
      outcome: over?.outcome ?? 'done',
      failure: over?.failure ?? null,
      durationMs: Date.now() - context.startedAt,
      tokens: Math.round(context.tokens),
      text: context.lastText,
    }
  }

  private context(prompt: string, signal: AbortSignal): TurnContext {
    const { surface, pace, transcript, hooks, permissions, cwd } = this.parts
    return {
      surface,
      pace,
      transcript,
      hooks,
      permissions,
      tools: this.parts.tools ?? OWN_TOOLS,
      cwd,
      signal,
      prompt,
      background: this.background,
      startedAt: Date.now(),
      variables: new Map([['prompt', prompt]]),
      tokens: 0,
      lastText: '',
      newCallId: () => `call_${++this.calls}`,
      promptId: `prompt_${this.prompts}`,
      menus: this.menus,
    }
  }
}

/** How far the script was played, from the transcript of a resumed session. */
export function progressOf(records: TranscriptRecord[]): Progress {
  const last = records.findLast(record => record.type === 'user')
  return { nextInOrder: typeof last?.nextInOrder === 'number' ? last.nextInOrder : 0 }
}
